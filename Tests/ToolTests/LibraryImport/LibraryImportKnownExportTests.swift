import Foundation
import SectionedFetch
import Testing

/// Exports of known programs, and lists of references.
@Suite struct LibraryImportKnownExportTests {
    private static let goodreads = #"""
        Book Id,Title,Author,Author l-f,Additional Authors,ISBN,ISBN13,My Rating,Average Rating,Publisher,Binding,Number of Pages,Year Published,Original Publication Year,Date Read,Date Added,Bookshelves,Bookshelves with positions,Exclusive Shelf,My Review,Spoiler,Private Notes,Read Count,Owned Copies
        5,One,A B,"B, A",,"=""0439023483""","=""9780439023481""",4,4.30,P,Paperback,100,2008,,2018/09/29,2018/01/02,"to-read, x",x (#1),read,"=""kept""",,,1,0
        7,Two,A B,"B, A",,"=""""","=""""",0,4.00,P,Paperback,,2008,1999,,2018/01/02,,,to-read,,,,0,0

        """#

    @Test func `a Goodreads export has a built-in mapping, which can be turned off`() throws {
        let file = try LibraryImportFile("goodreads.csv", Self.goodreads)
        let run = try file.run()
        #expect(run.status == 0 && run.errors.contains("that of a Goodreads export"), "\(run)")
        #expect(!run.errors.contains("changed"), "\(run)")
        let names = ["Book Id", "ISBN", "ISBN13", "My Rating", "Average Rating", "My Review", "Bookshelves"]
        #expect(
            try file.rows("Goodreads", names) == [
                [
                    .integer(5), .text("0439023483"), .text("9780439023481"), .integer(4), .real(4.3),
                    .text("=\"kept\""), .text("to-read, x"),
                ],
                [.integer(7), .null, .null, .null, .real(4), .text(""), .text("")],
            ])
        let entity = try file.openStore().model.requireEntity(named: "Goodreads")
        #expect(entity.attribute(named: "Date Read")?.type == .date)
        #expect(entity.attribute(named: "Book Id")?.isUnique == true)
        // The mapping holds for the next export as well.
        try file.write(Self.goodreads.replacing("5,One", with: "5,Uno"))
        let counts = try file.counts()
        #expect(counts == LibraryImportCounts(updated: 1, unchanged: 1))
        let plain = try file.run(["--no-built-in", "--entity", "Plain"])
        #expect(plain.status == 0 && !plain.errors.contains("built-in"), "\(plain)")
        #expect(try file.rows("Plain", ["ISBN"])[0] == [.text("=\"0439023483\"")])
    }

    @Test func `a LibraryThing export has a built-in mapping`() throws {
        let file = try LibraryImportFile(
            "librarything.tsv",
            "Book Id\tTitle\tPrimary Author\tDate\tRating\tISBN\tEntry Date\tCollections\n1\tA\tB\t1999\t4.5\t[0439023483]\t2018-09-29\tx\n2\tC\tD\tc1998\t0\t[]\t2018-09-30\tx\n"
        )
        let run = try file.run()
        #expect(run.status == 0 && run.errors.contains("that of a LibraryThing export"), "\(run)")
        #expect(
            try file.rows("Librarything", ["Book Id", "Date", "Rating", "ISBN"]) == [
                [.integer(1), .text("1999"), .real(4.5), .text("[0439023483]")],
                [.integer(2), .text("c1998"), .null, .text("[]")],
            ])
    }

    @Test(
        arguments: [
            ("BOOK ID,TITLE,AUTHOR,MY RATING,DATE READ,DATE ADDED,EXCLUSIVE SHELF,ISBN", ",", "BOOK ID"),
            ("isbn;exclusive shelf;date added;date read;my rating;author;title;book id", ";", "book id"),
            ("Book Id\tTitle\tAuthor\tMy Rating\tISBN\tExclusive Shelf", "\t", "Book Id"),
            (" Title,Author ,My Rating,Date Read,Date Added,Exclusive Shelf,ISBN", ",", nil),
        ] as [(String, Character, String?)])
    func `a Goodreads export is recognized with other columns, letter case and delimiters`(
        header: String, delimiter: Character, key: String?
    ) throws {
        let names = header.split(separator: delimiter).map(String.init)
        let values = names.map { name in
            switch name.lowercased() {
            case "book id": "5"
            case "my rating": "0"
            case "isbn": "\"=\"\"0439023483\"\"\""
            case "date read", "date added": "2018/09/29"
            default: "x"
            }
        }
        let file = try LibraryImportFile(
            "books.csv", header + "\n" + values.joined(separator: String(delimiter)) + "\n")
        let run = try file.run()
        #expect(run.status == 0 && run.errors.contains("that of a Goodreads export"), "\(run)")
        #expect(run.errors.contains("the key “Book Id” is missing") == (key == nil), "\(run)")
        let entity = try file.openStore().model.requireEntity(named: "Books")
        func attribute(_ name: String) -> String? {
            entity.attributes.first { $0.name.lowercased() == name }?.name
        }
        if let key { #expect(entity.attribute(named: key)?.isUnique == true) }
        let columns = ["my rating", "isbn"].compactMap(attribute)
        #expect(try file.rows("Books", columns) == [[.null, .text("0439023483")]])
    }

    @Test func `a music library keeps its keys, and tracks without one of their own are skipped`() throws {
        func track(_ number: Int, _ id: String) -> String {
            "<key>\(number)</key><dict><key>Track ID</key><integer>\(number)</integer>\(id)</dict>"
        }
        func identified(_ id: String) -> String { "<key>Persistent ID</key><string>\(id)</string>" }
        let items = (1...3).map { "<dict><key>Track ID</key><integer>\($0)</integer></dict>" }.joined()
        let list =
            "<dict><key>Name</key><string>P</string><key>Playlist ID</key><integer>1</integer><key>Playlist Persistent ID</key><string>B</string><key>Playlist Items</key><array>\(items)</array></dict>"
        let tracks = track(1, identified("A")) + track(2, "") + track(3, identified("A"))
        let file = try LibraryImportFile(
            "Library.xml",
            "<plist><dict><key>Tracks</key><dict>\(tracks)</dict><key>Playlists</key><array>\(list)</array></dict></plist>"
        )
        let run = try file.run()
        #expect(run.status == 1, "\(run)")
        for text in ["the track has no “Persistent ID”", "repeats the “Persistent ID” A", "names track 2"] {
            #expect(run.errors.contains(text), "\(run)")
        }
        let model = try file.openStore().model
        for (name, key) in [
            ("Track", "Persistent ID"), ("Playlist", "Playlist Persistent ID"), ("PlaylistItem", "Item ID"),
        ] {
            #expect(try model.requireEntity(named: name).attribute(named: key)?.isUnique == true, "\(name)")
            #expect(try file.rows(name, [key]).count == 1, "\(name)")
        }
    }

    @Test func `entries of BibTeX have their citation key, and rejected ones can be mended`() throws {
        let file = try LibraryImportFile(
            "refs.bib",
            "@string{j = {Journal}}\n@article{a, title = {A}, journal = j, year = 1999}\n@book{b, title = {B}, year = 2000\n@misc{c, year = {2001}}\n"
        )
        let rejects = file.directory.path("bad.bib")
        #expect(
            try file.counts(["--rejects", rejects], status: 1) == LibraryImportCounts(inserted: 2, skipped: 1)
        )
        #expect(
            try file.rows("Refs", ["entryType", "citationKey", "journal", "year"]) == [
                [.text("article"), .text("a"), .text("Journal"), .integer(1999)],
                [.text("misc"), .text("c"), .null, .integer(2001)],
            ])
        let text = try String(contentsOfFile: rejects, encoding: .utf8)
        try Data(text.replacing("year = 2000", with: "year = 2000}").utf8).write(to: URL(filePath: rejects))
        let mended = try ToolProcess.run("library-import", [rejects, file.storePath, "--entity", "Refs"])
        #expect(mended.status == 0 && mended.output.contains("1 inserted"), "\(mended)")
        #expect(try file.counts(status: 1).unchanged == 2)
    }

    @Test func `feeds of an outline are imported from a compressed pipe, and refused ones name the repair`()
        throws
    {
        let body = "<outline text=\"News\"><outline text=\"R&D\" xmlUrl=\"http://x/?a=1&amp;b=2\"/></outline>"
        let file = try LibraryImportFile("feeds.opml", "<opml version=\"2.0\"><body>\(body)</body></opml>")
        try file.run().expectRefusal(saying: "pass --repair")
        let script =
            "gzip -c '\(file.path)' | '\(try ToolProcess.path("library-import"))' - '\(file.storePath)' --entity Feed --repair"
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script]
        let errors = Pipe()
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
        try process.run()
        let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(
            process.terminationStatus == 0
                && text.contains("One “&” that begins no reference was read as “&”"), "\(text)")
        #expect(
            try file.rows("Feed", ["place", "parent", "text", "xmlUrl"]) == [
                [.text("1"), .null, .text("News"), .null],
                [.text("1.1"), .text("News"), .text("R&D"), .text("http://x/?a=1&b=2")],
            ])
        try file.run(["--entity", "Feed", "--repair"]).expectRefusal(saying: "Pass --again")
    }
}
