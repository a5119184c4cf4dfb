import Foundation
import SectionedFetch
import CheckSupport
import Testing

/// Rows that are inserted in groups are stored and refused as if they were inserted one by one.
@Suite struct LibraryImportGroupTests {
    /// Makes a store of books whose ISBN is unique and whose title has at most five characters.
    private func booksFile(_ content: String) throws -> LibraryImportFile {
        let file = try LibraryImportFile("isbn,title,pages\n" + content)
        let book = EntityDescription(
            name: "Book",
            attributes: [
                AttributeDescription(name: "isbn", type: .string, isOptional: true, isUnique: true),
                AttributeDescription(name: "title", type: .string, rules: [.maximum(5)]),
                AttributeDescription(name: "pages", type: .integer16, isOptional: true),
            ], relationships: [])
        _ = try PersistentContainer(
            url: file.directory.file("library.store"), model: ManagedObjectModel(entities: [book]))
        return file
    }

    /// Computes which rows are kept and which are refused if they are inserted one by one.
    private struct Oracle {
        var kept: [[StoredValue]] = []
        var refusedLines: [Int] = []
        private var isbns: Set<String> = []

        mutating func add(line: Int, isbn: String, title: String, pages: String) {
            let isGood = title.count <= 5 && (pages.isEmpty || Int16(pages) != nil)
            guard isGood, isbns.insert(isbn).inserted else { return refusedLines.append(line) }
            kept.append([.text(isbn), .text(title), Int64(pages).map { .integer($0) } ?? .null])
        }
    }

    /// Returns the lines of the rows that the tool reports as skipped, in its order.
    private func reportedLines(_ run: ToolRun) -> [Int] {
        run.errors.matches(of: #/book\.csv:([0-9]+): /#).compactMap { Int($0.1) }
    }

    @Test(
        arguments: [0, 1, 15, 16, 17, 31, 32, 33, 999, 1_000, 1_001, 1_017], [10_000, 16, 7])
    func `every row is stored once and in order`(count: Int, batchSize: Int) throws {
        let lines = (0..<count).map { "i\($0),t\($0 % 100),\($0)\n" }
        let file = try booksFile(lines.joined())
        let counts = try file.counts(["--no-key", "--batch", "\(batchSize)"])
        #expect(counts == LibraryImportCounts(inserted: count))
        let expected: [[StoredValue]] = (0..<count).map {
            [.text("i\($0)"), .text("t\($0 % 100)"), .integer(Int64($0))]
        }
        #expect(try file.rows("Book", ["isbn", "title", "pages"]) == expected)
    }

    /// The memory for the bound values of a row is reused, and must grow for large values.
    @Test(arguments: [["--no-key"], ["--key", "isbn"]])
    func `texts of any size are stored unchanged`(key: [String]) throws {
        let seed = SeededGenerator.newSeed("texts of any size")
        var chance = SeededGenerator(seed: seed)
        let sizes = [0, 1, 15, 16, 100, 255, 256, 511, 512, 4_095, 4_096, 4_097, 65_535, 65_536, 200_000]
        var expected: [[StoredValue]] = []
        var content = ""
        for row in 0..<100 {
            let size = sizes.randomElement(using: &chance) ?? 0
            let isbn = "\(row)-" + String(repeating: row.isMultiple(of: 2) ? "x" : "é", count: size)
            let title = Bool.random(using: &chance) ? "" : "t\(row)"
            content += "\(isbn),\(title),\n"
            expected.append([.text(isbn), .text(title), .null])
        }
        let file = try booksFile(content)
        let counts = try file.counts(key)
        #expect(counts == LibraryImportCounts(inserted: 100), "seed \(seed)")
        #expect(try file.rows("Book", ["isbn", "title", "pages"]) == expected, "seed \(seed)")
    }

    @Test(arguments: 1...8)
    func `the refused rows are the same as one by one, and are reported in order`(number: Int) throws {
        let seed = SeededGenerator.newSeed("refused rows \(number)")
        var chance = SeededGenerator(seed: seed)
        // From one bad row in 400 to one in 3.
        let rarity = [3, 10, 40, 400][number % 4]
        var oracle = Oracle()
        var content = ""
        for line in 2..<Int.random(in: 20...2_400, using: &chance) {
            let isBad = Int.random(in: 0..<rarity, using: &chance) == 0
            let kind = Int.random(in: 0...2, using: &chance)
            let isbn = isBad && kind == 0 ? "i\(Int.random(in: 2...line, using: &chance))" : "i\(line)"
            let title = isBad && kind == 1 ? "too long" : "é\(line % 100)"
            let pages = isBad && kind == 2 ? "40000" : ["", "\(line)"].randomElement(using: &chance) ?? ""
            content += "\(isbn),\(title),\(pages)\n"
            oracle.add(line: line, isbn: isbn, title: title, pages: pages)
        }
        let file = try booksFile(content)
        let run = try file.run(["--no-key", "--batch", "\(Int.random(in: 1...3_000, using: &chance))"])
        #expect(run.status == (oracle.refusedLines.isEmpty ? 0 : 1), "seed \(seed): \(run)")
        #expect(reportedLines(run) == Array(oracle.refusedLines.prefix(20)), "seed \(seed)")
        #expect(try file.rows("Book", ["isbn", "title", "pages"]) == oracle.kept, "seed \(seed)")
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason), arguments: ["FAIL, 'no'", "IGNORE"])
    func `another program's trigger fires for each row separately`(action: String) throws {
        let rows = (0..<40).map { "i\($0),t\($0),\($0)\n" }.joined()
        let file = try booksFile(rows)
        try ForeignWriter.run(
            """
            CREATE TRIGGER refusal AFTER INSERT ON Book WHEN NEW.pages = 20 \
            BEGIN SELECT RAISE(\(action)); END
            """, on: file.storePath)
        let run = try file.run(["--no-key"])
        let found = try ForeignWriter.run("SELECT isbn FROM Book ORDER BY objectID", on: file.storePath)
        let isbns = found.split(separator: "\n").map(String.init)
        #expect(isbns.count == Set(isbns).count, "\(run)")
        // FAIL ends the import. IGNORE keeps the row, because the trigger fires after its insertion.
        #expect(isbns == (action == "IGNORE" ? (0..<40).map { "i\($0)" } : []), "\(run)")
        #expect(run.status == (action == "IGNORE" ? 0 : 2), "\(run)")
    }

    @Test func `an import that stops at a refused row leaves nothing of its transaction`() throws {
        let rows = (0..<40).map { "i\($0 == 37 ? 3 : $0),t,\($0)\n" }.joined()
        let file = try booksFile(rows)
        let run = try file.run(["--no-key", "--on-error", "stop"])
        #expect(run.status == 2 && run.errors.contains("book.csv:39: "), "\(run)")
        #expect(try file.rows("Book", ["isbn"]).isEmpty)
    }

    /// A group with a key that the table has is refused, and its rows are written one by one.
    @Test(arguments: 1...8)
    func `rows with repeated keys and related names are stored as one by one`(number: Int) throws {
        let seed = SeededGenerator.newSeed("repeated keys \(number)")
        var chance = SeededGenerator(seed: seed)
        // From a repeated key in every second row to none.
        let rarity = [2, 20, 300, Int.max][number % 4]
        var content = "id,title,genre\n"
        var (order, books) = ([Int64](), [Int64: [StoredValue]]())
        var expected = LibraryImportCounts()
        var genres: Set<String> = []
        for line in 0..<Int.random(in: 1...1_500, using: &chance) {
            let isRepeated = line > 0 && Int.random(in: 0..<rarity, using: &chance) == 0
            let id = Int64(isRepeated ? Int.random(in: 0..<line, using: &chance) : line)
            let title = ["t", "much too long", "é\(line % 3)"].randomElement(using: &chance) ?? ""
            let genre = Bool.random(using: &chance) ? "g\(Int.random(in: 0..<40, using: &chance))" : ""
            content += "\(id),\(title),\(genre)\n"
            guard title.count <= 5 else {
                expected.skipped += 1
                continue
            }
            if !genre.isEmpty, genres.insert(genre).inserted { expected.createdRelated += 1 }
            let row: [StoredValue] = [.text(title), genre.isEmpty ? .null : .text(genre)]
            if let old = books.updateValue(row, forKey: id) {
                if old == row { expected.unchanged += 1 } else { expected.updated += 1 }
            } else {
                order.append(id)
                expected.inserted += 1
            }
        }
        let file = try LibraryImportFile(content)
        _ = try PersistentContainer(
            url: file.directory.file("library.store"), model: ManagedObjectModel(entities: Self.booksOfGenres)
        )
        let options = ["--entity", "Book", "--batch", "\(Int.random(in: 1...1_000, using: &chance))"]
        let status: Int32 = expected.skipped > 0 ? 1 : 0
        #expect(try file.counts(options, status: status) == expected, "seed \(seed)")
        let context = try file.openStore().newContext()
        let found = try context.fetch(
            FetchRequest<ManagedObject>(
                entityName: "Book", predicate: nil, sortDescriptors: [.ascending("objectID")]))
        let rows = try found.map { object in
            let genre = try object.relatedObject("genre")
            return [object["id"], object["title"], genre?["name"] ?? .null]
        }
        #expect(rows == order.map { [.integer($0)] + (books[$0] ?? []) }, "seed \(seed)")
        #expect(
            try Set(file.rows("Genre", ["name"])) == Set(genres.map { [.text($0)] }), "seed \(seed)")
        let again = LibraryImportCounts(
            unchanged: expected.inserted + expected.updated + expected.unchanged, skipped: expected.skipped)
        // Rows that were updated before are updated again, so only a file without repeated keys is unchanged.
        if rarity == .max { #expect(try file.counts(options, status: status) == again, "seed \(seed)") }
    }

    private static let booksOfGenres = [
        EntityDescription(
            name: "Book",
            attributes: [
                AttributeDescription(name: "id", type: .integer64, isUnique: true),
                AttributeDescription(name: "title", type: .string, rules: [.maximum(5)]),
            ], relationships: [.toOne("genre", to: "Genre", inverse: "books")]),
        EntityDescription(
            name: "Genre", attributes: [AttributeDescription(name: "name", type: .string, isUnique: true)],
            relationships: [.toMany("books", to: "Book", inverse: "genre")]),
    ]
}
