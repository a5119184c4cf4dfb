import CheckSupport
import Foundation
import RecordReading
import Testing

/// Music libraries of iTunes and Apple Music, compared with Python's `plistlib`.
@Suite struct MusicLibraryTests {
    private static let program = """
        import plistlib, json, base64, datetime
        def text(v):
            if isinstance(v, bool): return "true" if v else "false"
            if isinstance(v, datetime.datetime): return v.strftime("%Y-%m-%dT%H:%M:%SZ")
            if isinstance(v, bytes): return base64.b64encode(v).decode()
            return str(v)
        def record(d): return {k: text(v) for k, v in d.items() if not isinstance(v, list)}
        for data in inputs:
            p = plistlib.loads(data)
            ids = {t["Track ID"]: t["Persistent ID"] for t in p["Tracks"].values()}
            items = []
            for l in p["Playlists"]:
                pid = l["Playlist Persistent ID"]
                for n, i in enumerate(l.get("Playlist Items", []), 1):
                    items.append({"Item ID": f"{pid}-{n}", "Position": str(n), "Playlist": pid,
                                  "Track": ids[i["Track ID"]], "Track ID": str(i["Track ID"])})
            print(json.dumps([record(t) for t in p["Tracks"].values()]))
            print(json.dumps([record(l) for l in p["Playlists"]]))
            print(json.dumps(items))
        """

    private func options(_ table: String, _ moved: [String] = []) -> RecordOptions {
        var options = RecordOptions()
        options.arrayPath = table
        options.movedFolders = moved.compactMap(MovedFolder.init)
        return options
    }

    private static func library(_ tracks: String, _ playlists: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>Major Version</key><integer>1</integer>
        <key>Tracks</key><dict>\(tracks)</dict>
        <key>Playlists</key><array>\(playlists)</array></dict></plist>
        """
    }

    private static func track(_ number: Int, _ more: String = "") -> String {
        """
        <key>\(number)</key><dict><key>Track ID</key><integer>\(number)</integer>
        <key>Persistent ID</key><string>\(String(number, radix: 16).uppercased())</string>\(more)</dict>
        """
    }

    private static let made = library(
        track(
            1,
            "<key>Name</key><string>A &amp; B &#x1F600; <![CDATA[<c>]]></string><key>Loved</key><true/>"
                + "<key>Date Added</key><date>2020-02-29T01:02:03Z</date><key>Artwork</key><data>\n AAEC\n /w== </data>"
        ) + track(0xFFFF_FFFF_FFF, "<key>Year</key><integer>1999</integer>"),
        """
        <dict><key>Name</key><string></string><key>Playlist Persistent ID</key><string>F00000000000000F</string>
        <key>Playlist ID</key><integer>7</integer><key>Folder</key><true/></dict>
        <dict><key>Name</key><string>x</string><key>Playlist Persistent ID</key><string>F00000000000000E</string>
        <key>Playlist ID</key><integer>8</integer><key>Parent Persistent ID</key><string>F00000000000000F</string>
        <key>Playlist Items</key><array><dict><key>Track ID</key><integer>17592186044415</integer></dict>
        <dict><key>Track ID</key><integer>1</integer></dict></array></dict>
        """)

    @Test func `all tables are those that another reader of property lists finds`() throws {
        var inputs = [Array(Self.made.utf8)]
        let path = RealFile.path("itunes-py4e/Library.xml")
        let isThere = RealFile.isThere("itunes-py4e/Library.xml")
        if isThere { inputs.append(Array(try Data(contentsOf: URL(filePath: path)))) }
        let expected = try PythonRecords.of(Self.program, on: inputs)
        try #require(expected.count == 3 * inputs.count)
        for (number, input) in inputs.enumerated() {
            let file = try TemporaryFile(input)
            #expect(try recordTables(path: file.path) == ["Track", "Playlist", "PlaylistItem"])
            for (position, table) in ["Track", "Playlist", "PlaylistItem"].enumerated() {
                let reading = try NamedReading(path: file.path, options: options(table))
                #expect(reading.errors.isEmpty)
                #expect(reading.records == expected[3 * number + position], "\(table)")
                #expect(reading.lines == reading.lines.sorted())
            }
        }
        guard isThere else { return }
        #expect(expected[3].count == 404)
        #expect(expected[4].count == 25)
        #expect(expected[5].count == 933)
    }

    @Test func `values have the kinds of the property list`() throws {
        let kinds = try NamedReading(Self.made, options: options("Track")).kinds
        #expect(kinds["Track ID"] == .number && kinds["Name"] == .exactText && kinds["Loved"] == .boolean)
        #expect(kinds["Date Added"] == .date && kinds["Artwork"] == .exactText)
    }

    @Test func `items that name no track are bad, and name it`() throws {
        let list = """
            <dict><key>Name</key><string>Mix</string><key>Playlist Persistent ID</key><string>A</string>
            <key>Playlist Items</key><array><dict><key>Track ID</key><integer>1</integer></dict>
            <dict><key>Track ID</key><integer>9</integer></dict><dict></dict></array></dict>
            <dict><key>Name</key><string>Old</string><key>Playlist Items</key>
            <array><dict><key>Track ID</key><integer>1</integer></dict></array></dict>
            """
        let reading = try NamedReading(
            Self.library(Self.track(1), list), options: options("PlaylistItem"))
        #expect(reading.records.map { $0["Item ID"] } == ["A-1"])
        let reasons = reading.errors.map { "\($0)" }
        #expect(reasons.count == 3)
        #expect(reasons[0].contains("item 2 of “Mix” names track 9"))
        #expect(reasons[1].contains("item 3 of “Mix” names no track"))
        #expect(reasons[2].contains("“Old” has no “Playlist Persistent ID”"))
        #expect(reading.errors.allSatisfy { !$0.isFatal && $0.line > 1 })
    }

    @Test func `a damaged track is skipped, and the next one is read`() throws {
        let tracks =
            Self.track(1, "<key>Name</key><key>Year</key><integer>1</integer>")
            + Self.track(2, "<key>Name</key><string>a</string><key>Name</key><string>b</string>")
            + Self.track(3, "<string>loose</string>") + Self.track(4, "<key>X</key><list/>") + Self.track(5)
        let reading = try NamedReading(Self.library(tracks), options: options("Track"))
        #expect(reading.records.map { $0["Track ID"] } == ["5"])
        let reasons = reading.errors.map { "\($0)" }
        #expect(
            zip(reasons, ["no value", "duplicate name “Name”", "no key", "“list”"]).allSatisfy {
                $0.contains($1)
            })
    }

    @Test(
        arguments: [
            (
                "/old/ann/Music=/srv/music", "file:///old/ann/Music/A%20b/c.mp3",
                "file:///srv/music/A%20b/c.mp3"
            ),
            (
                "/old/ann/Music/=/srv/music/", "file://localhost/old/ann/Music/x.mp3",
                "file:///srv/music/x.mp3"
            ),
            ("file:///old/ann/My%20Music/=/srv", "file:///old/ann/My%20Music/x", "file:///srv/x"),
            ("/old/ann/My Music=/srv/m u", "file:///old/ann/My%20Music/dir/", "file:///srv/m%20u/dir/"),
            ("/old/ann/Mus=/srv", "file:///old/ann/Music/x", "file:///old/ann/Music/x"),
            ("/old/ann/Caf\u{E9}=/srv", "file:///old/ann/Cafe%CC%81/x", "file:///srv/x"),
            ("C:\\Music=/srv", "file://localhost/C:/Music/x", "file:///srv/x"),
            ("/a=b=/c", "file:///a=b/x", "file:///c/x"), ("/a=/b", "http://x/a/y", "http://x/a/y"),
            ("/a=/b", "file:///a/%2F%23%3F%25.mp3", "file:///b/%2F%23%3F%25.mp3"),
            ("/=/mnt", "file:///x", "file:///mnt/x"),
        ])
    func `the locations of moved folders are changed`(option: String, old: String, new: String) throws {
        let text = Self.library(Self.track(1, "<key>Location</key><string>\(old)</string>"))
        let reading = try NamedReading(text, options: options("Track", [option]))
        #expect(reading.records.first?["Location"] == new)
    }

    @Test func `a record without an identifier of its own is bad, and items do not name it`() throws {
        let tracks =
            Self.track(1)
            + "<key>2</key><dict><key>Track ID</key><integer>2</integer></dict>"
            + "<key>3</key><dict><key>Track ID</key><integer>3</integer><key>Persistent ID</key><string>1</string></dict>"
            + "<key>4</key><dict><key>Track ID</key><integer>4</integer><key>Persistent ID</key><string></string></dict>"
        func list(_ members: String) -> String {
            let items = (1...4).map { "<dict><key>Track ID</key><integer>\($0)</integer></dict>" }.joined()
            return "<dict>\(members)<key>Playlist Items</key><array>\(items)</array></dict>"
        }
        let id = "<key>Playlist Persistent ID</key><string>A</string>"
        let text = Self.library(tracks, list(id) + list("") + list(id))
        let reading = try NamedReading(text, options: options("Track"))
        #expect(reading.records.map { $0["Track ID"] } == ["1"])
        let reasons = reading.errors.map { "\($0)" }
        #expect(
            zip(reasons, ["track has no “Persistent ID”", "“Persistent ID” 1 of an earlier one", "has no"])
                .allSatisfy {
                    $0.contains($1)
                } && reasons.count == 3)
        let lists = try NamedReading(text, options: options("Playlist"))
        #expect(lists.records.count == 1 && lists.errors.count == 2)
        let items = try NamedReading(text, options: options("PlaylistItem"))
        #expect(Set(items.records.map { $0["Track ID"] }) == ["1"] && items.errors.count == 10)
    }

    @Test func `numbers take the place of identifiers in a library that has none`() throws {
        let tracks = (1...3).map {
            "<key>\($0)</key><dict><key>Track ID</key><integer>\($0)</integer><key>Name</key><string>T\($0)</string></dict>"
        }
        func list(_ number: Int, _ items: [Int]) -> String {
            let items = items.map { "<dict><key>Track ID</key><integer>\($0)</integer></dict>" }.joined()
            return
                "<dict><key>Playlist ID</key><integer>\(number)</integer><key>Playlist Items</key><array>\(items)</array></dict>"
        }
        for lists in [list(10, []) + list(11, [3, 1]), list(11, [3, 1]) + list(10, [])] {
            let text = Self.library(tracks.joined(), lists)
            let reading = try NamedReading(text, options: options("Track"))
            #expect(reading.errors.isEmpty && reading.records.map { $0["Persistent ID"] } == ["1", "2", "3"])
            let found = try NamedReading(text, options: options("Playlist"))
            #expect(Set(found.records.map { $0["Playlist Persistent ID"] }) == ["10", "11"])
            let items = try NamedReading(text, options: options("PlaylistItem"))
            #expect(items.errors.isEmpty && items.records.map { $0["Item ID"] } == ["11-1", "11-2"])
            #expect(items.records.map { $0["Track"] } == ["3", "1"])
        }
        // A later record without an identifier is bad, as in a library of iTunes.
        let mixed = try NamedReading(Self.library(Self.track(7) + tracks[0]), options: options("Track"))
        #expect(mixed.records.count == 1 && mixed.errors.count == 1)
    }

    @Test func `the keys that make the tables are known in any letter case`() throws {
        let text = Self.library(
            "<key>1</key><dict><key>track id</key><integer>1</integer><key>PERSISTENT ID</key><string>A</string><key>genre</key><string>g</string></dict>",
            "<dict><key>name</key><string>P</string><key>playlist persistent id</key><string>B</string><key>playlist items</key><array><dict><key>track id</key><integer>1</integer></dict></array></dict>"
        ).replacing("<key>Tracks", with: "<key>tracks").replacing("<key>Playlists", with: "<key>PLAYLISTS")
        let track = try NamedReading(text, options: options("Track")).records
        #expect(track == [["Track ID": "1", "Persistent ID": "A", "genre": "g"]])
        let items = try NamedReading(text, options: options("PlaylistItem")).records
        #expect(
            items == [["Item ID": "B-1", "Position": "1", "Playlist": "B", "Track": "A", "Track ID": "1"]])
    }

    @Test func `a binary property list is refused with the command that converts it`() throws {
        let lines = try Python.run(
            "import plistlib\nfor data in inputs: print(plistlib.dumps({'Tracks': {}}, fmt=plistlib.FMT_BINARY).hex())",
            on: [[]])
        let digits = Array(lines[0].utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        let file = try TemporaryFile(bytes)
        #expect(try EncodingDetection(path: file.path, options: .init()).name == nil)
        let error = #expect(throws: RecordError.self) { try openRecords(path: file.path) }
        let text = error?.description ?? ""
        #expect(text.contains("binary property list") && text.contains("plutil -convert xml1"), "\(text)")
    }

    @Test func `a library needs a table, its tracks, and the tracks before the playlists`() throws {
        func error(_ text: String, _ table: String?) throws -> String {
            var options = RecordOptions()
            options.arrayPath = table
            let file = try TemporaryFile(text)
            do throws(RecordError) {
                let reader = try openRecords(path: file.path, options: options)
                while try reader.next() {}
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(try error(Self.made, nil).contains("pass --at with one of Track, Playlist, PlaylistItem"))
        #expect(try error(Self.made, "Album").contains("no table “Album”"))
        let reversed = """
            <plist><dict><key>Playlists</key><array><dict><key>Playlist Persistent ID</key><string>A</string>
            <key>Playlist Items</key><array><dict><key>Track ID</key><integer>1</integer></dict></array>
            </dict></array><key>Tracks</key><dict>\(Self.track(1))</dict></dict></plist>
            """
        #expect(try error(reversed, "PlaylistItem").contains("export the library again"))
        #expect(try error(reversed, "Playlist").isEmpty)
        let none = "<plist><dict><key>Major Version</key><integer>1</integer></dict></plist>"
        #expect(try error(none, "Track").contains("has no “Tracks”"))
        #expect(try error(String(Self.made.prefix(700)), "Track").contains("truncated"))
    }
}
