import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Rows as data, read by `library-import` and by Python.
@Suite struct BrowserExportTests {
    static let formats = ["csv", "tsv", "json", "jsonl"]

    /// A store with attributes of all types.
    private struct ThingStore {
        let directory: ScratchDirectory
        let rows: [[StoredValue]]
        static let names = [
            "dc:title", "note", "small", "whole", "price", "ratio", "share", "isNew", "added", "code", "data",
            "link", "maker",
        ]

        var path: String { directory.path("things.store") }

        static func model() throws -> ManagedObjectModel {
            func optional(_ name: String, _ type: AttributeType) -> AttributeDescription {
                AttributeDescription(name: name, type: type, isOptional: true)
            }
            return try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing",
                    attributes: [
                        AttributeDescription(name: "dc:title", type: .string), optional("note", .string),
                        optional("small", .integer16), optional("whole", .integer64),
                        optional("price", .decimal), optional("ratio", .double), optional("share", .float),
                        optional("isNew", .boolean), optional("added", .date), optional("code", .uuid),
                        optional("data", .binaryData), optional("link", .uri),
                    ], relationships: [.toOne("maker", to: "Maker", inverse: "things")]),
                EntityDescription(
                    name: "Maker",
                    attributes: [AttributeDescription(name: "name", type: .string, isUnique: true)],
                    relationships: [.toMany("things", to: "Thing", inverse: "maker")]),
            ])
        }

        init(count: Int, seed: UInt64) throws {
            directory = try ScratchDirectory()
            var random = SeededGenerator(seed: seed)
            let texts = [
                "", "nil", "plain", " padded ", "a,b;c\td", "say \"hi\"", "two\nlines", "two\r\nlines", "\"",
                "日本語 é e\u{301}", "=1+1", "null", "007", "[x]", "{y}", "🇩🇪👩‍👩‍👧", "\\n", "\u{202E}x", "\u{7F}",
            ]
            func some(_ value: @autoclosure () -> StoredValue) -> StoredValue {
                Int.random(in: 0..<4, using: &random) == 0 ? .null : value()
            }
            var rows: [[StoredValue]] = []
            for number in 0..<count {
                let text = texts[number % texts.count]
                let ratios: [Double] = [
                    0.1, -0.0, 1e300, .leastNonzeroMagnitude, 1 / 3, 1_962, .greatestFiniteMagnitude,
                ]
                let ratio = ratios.randomElement(using: &random) ?? 0
                let decimals = [
                    "1.1", "-0.000000000000000001", "12345678901234567890123456789012345678", "0",
                ]
                let decimal = decimals.randomElement(using: &random) ?? "0"
                let share = Double(Float(Int.random(in: -99...99, using: &random)) / Float(7))
                let seconds =
                    Double(Int.random(in: -3_000_000_000_000...100_000_000_000, using: &random)) / 1_000
                let bytes = random.bytes(Int.random(in: 0...9, using: &random))
                let code = random.bytes(16)
                rows.append([
                    .text(text), some(.text(texts[(number * 7) % texts.count])),
                    some(.integer(Int64(Int16.random(in: .min ... .max, using: &random)))),
                    some(.integer([Int64.min, .max, 0, -1].randomElement(using: &random) ?? 0)),
                    some(AttributeType.decimal.normalized(.text(decimal))), some(.real(ratio)),
                    some(.real(share)), some(.integer(number % 2 == 0 ? 1 : 0)), some(.real(seconds)),
                    some(.blob(code)), some(.blob(bytes)), some(.text("https://example.org/?q=\(number),é")),
                    number % 3 == 0 ? .null : .text("Maker, \"\(number % 5)\""),
                ])
            }
            self.rows = rows
            let container = try PersistentContainer(
                url: URL(filePath: directory.path("things.store")), model: Self.model())
            try container.write { writer in
                let (things, makers) = (try writer.table("Thing"), try writer.table("Maker"))
                var keys: [StoredValue: Int64] = [:]
                for row in rows {
                    var values = row
                    if !row[12].isNull {
                        let key = try keys[row[12]] ?? makers.insert([row[12]])
                        keys[row[12]] = key
                        values[12] = .integer(key)
                    }
                    _ = try things.insert(values)
                }
            }
        }

        /// Writes the rows in a format and returns the path of the file.
        func export(_ format: String, _ arguments: [String] = []) throws -> String {
            let run = try ToolProcess.run(
                "library-browser", [path, "--entity", "Thing", "--format", format] + arguments)
            try #require(run.status == 0, "\(run)")
            #expect(run.errors == "")
            let file = directory.path("Thing.\(format)")
            try Data(run.output.utf8).write(to: URL(filePath: file))
            return file
        }

        /// Returns the rows of a store, with the names of makers.
        static func rows(of path: String) throws -> [[StoredValue]] {
            let context = try PersistentContainer(url: URL(filePath: path)).newContext()
            let request = FetchRequest<ManagedObject>(
                entityName: "Thing", predicate: nil, sortDescriptors: [.ascending("objectID")])
            return try context.fetch(request).map { thing in
                try names.map { name in
                    guard name == "maker" else { return try thing.value(forProperty: name) }
                    return try thing.relatedObject("maker")?.value(forProperty: "name") ?? .null
                }
            }
        }
    }

    @Test func `the store has an attribute of each type that an export writes`() throws {
        let types = try ThingStore.model().entities.flatMap(\.attributes).map(\.type)
        // Integers of all sizes have one form, and so have bytes of all types.
        #expect(Set(AttributeType.allCases).subtracting(types) == [.integer32, .transformable])
    }

    @Test(arguments: formats)
    func `an exported entity is imported as an equal one`(format: String) throws {
        let things = try ThingStore(count: 300, seed: SeededGenerator.newSeed())
        #expect(try ThingStore.rows(of: things.path) == things.rows)
        let word = format.hasSuffix("sv") ? ["--no-value", "N/A"] : []
        let file = try things.export(format, word)
        let copy = things.directory.path("copy.store")
        _ = try PersistentContainer(url: URL(filePath: copy), model: ThingStore.model())
        let run = try ToolProcess.run("library-import", [file, copy, "--entity", "Thing", "--json"] + word)
        #expect(run.status == 0, "\(run)")
        let rows = try ThingStore.rows(of: copy)
        #expect(rows.count == things.rows.count)
        for (number, (row, expected)) in zip(rows, things.rows).enumerated() {
            // Bytes of length 0 have an empty text.
            #expect(row == expected.map { $0 == .blob([]) ? .null : $0 }, "row \(number)")
        }
    }

    @Test(arguments: formats)
    func `a value that an import would change is named, with status 1`(format: String) throws {
        let directory = try ScratchDirectory()
        let store = URL(filePath: directory.path("things.store"))
        let context = try PersistentContainer(url: store, model: ThingStore.model()).newContext()
        func add(_ title: String, maker: String?) throws {
            let thing = try context.insert(entityNamed: "Thing")
            try thing.setValue(.text(title), forProperty: "dc:title")
            if let maker {
                let object = try context.insert(entityNamed: "Maker")
                try object.setValue(.text(maker), forProperty: "name")
                try thing.setRelatedObject(object, forRelationship: "maker")
            }
            try context.save()
        }
        try add("One", maker: "Ann")
        try add("Two", maker: nil)
        func run() throws -> ToolRun {
            try ToolProcess.run("library-browser", [store.path, "--entity", "Thing", "--format", format])
        }
        #expect(try run().status == 0)
        try add("Three", maker: "")
        let related = try run()
        #expect(
            related.status == 1 && related.errors.contains("1 value cannot be imported again"), "\(related)")
        #expect(related.errors.contains("“maker” of Thing/3 has no text"), "\(related)")
        try add("Fo\0ur", maker: nil)
        #expect(try run().errors.contains("2 values cannot be imported again"))
    }

    @Test(.enabled(if: Python.path != nil), arguments: formats)
    func `Python reads the exported values`(format: String) throws {
        let things = try ThingStore(count: 200, seed: SeededGenerator.newSeed())
        let program = """
            import csv, json, sys, base64
            path, form = sys.argv[1:]
            csv.field_size_limit(1 << 30)
            if form in ("csv", "tsv"):
                with open(path, newline="", encoding="utf-8") as file:
                    rows = list(csv.DictReader(file, delimiter="," if form == "csv" else "\\t", strict=True))
            elif form == "json":
                rows = json.load(open(path, encoding="utf-8"))
            else:
                rows = [json.loads(line) for line in open(path, encoding="utf-8", newline="\\n")]
            for row in rows:
                print(json.dumps(list(row.items())))
            """
        let lines = try Python.lines(of: program, try things.export(format), format)
        #expect(lines.count == things.rows.count)
        let isJSON = format.hasPrefix("json")
        for (line, row) in zip(lines, things.rows) {
            let items = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [[Any]])
            #expect(items.map { $0[0] as? String } == ThingStore.names)
            for (item, value) in zip(items, row) {
                let name = item[0] as? String ?? ""
                let text = item[1] as? String
                switch value {
                case .null: #expect(isJSON ? item[1] is NSNull : text == "", "\(name)")
                case .text(let expected): #expect(text == expected, "\(name)")
                case .integer(let number) where name == "isNew":
                    #expect(
                        isJSON ? item[1] as? Bool == (number == 1) : text == (number == 1 ? "true" : "false"))
                case .integer(let number):
                    #expect(isJSON ? (item[1] as? NSNumber)?.int64Value == number : text == String(number))
                case .real(let number) where name == "share":
                    #expect(text.flatMap(Float.init) == Float(number))
                case .real(let number) where name == "added":
                    let date = try Date(
                        text ?? "",
                        strategy: .iso8601.year().month().day()
                            .time(includingFractionalSeconds: (text ?? "").contains(".")))
                    // Foundation's Julian dates before 1582 differ.
                    if number > -13_000_000_000 {
                        #expect(abs(date.timeIntervalSinceReferenceDate - number) < 0.001, "\(text ?? "")")
                    }
                case .real(let number):
                    #expect(isJSON ? item[1] as? Double == number : text.flatMap(Double.init) == number)
                case .blob(let bytes) where name == "code":
                    #expect(UUID(uuidString: text ?? "")?.storedValue == .blob(bytes))
                case .blob(let bytes): #expect(Data(base64Encoded: text ?? "?") == Data(bytes))
                }
            }
        }
    }

    @Test func `the request chooses rows, order and columns`() throws {
        let store = try BookStore()
        func lines(_ arguments: String...) throws -> [String] {
            let run = try ToolProcess.run("library-browser", [store.path] + arguments)
            try #require(run.status == 0, "\(run)")
            return Array(run.lines.dropLast())
        }
        let expected = store.books.filter { ($0.year ?? 0) > 1_920 }
            .sorted { ($0.year ?? 0, $0.rating ?? -1) > ($1.year ?? 0, $1.rating ?? -1) }.prefix(5)
        let rows: [String] = expected.map { book in
            let rating = book.rating.map { String($0) } ?? ""
            return "\(book.year ?? 0),\(rating)"
        }
        let written = try lines(
            "--format", "csv", "--where", "year > 1920", "--sort", "-year,-rating", "--limit", "5",
            "--columns",
            "year,rating")
        #expect(written == ["year,rating"] + rows)
        let confused = try store.browse("--format", "csv", "--no-value", "Czech", "--columns", "language")
        #expect(confused.status == 2 && confused.errors.contains("A text of “language” is “Czech”"))

        // Without a unique attribute, a related object is written by its key.
        let keys = try lines("--format", "tsv", "--columns", "author,isRead", "--limit", "2")
        #expect(keys == ["author\tisRead", "1\ttrue", "2\tfalse"])
        #expect(
            try lines("--format", "jsonl", "--columns", "rating", "--limit", "2") == [
                "{\"rating\":null}", "{\"rating\":0.125}",
            ])
        #expect(try lines("--format", "json", "--where", "year = 1") == ["[", "]"])
        for arguments in [["--json"], ["--rows", "3"], ["--section", "x"], ["--cache", "c"], ["--live"]] {
            try ToolProcess.run("library-browser", [store.path, "--format", "csv"] + arguments)
                .expectRefusal(status: 64, saying: "--format writes all rows of the request.")
        }
    }

    @Test(.enabled(if: Python.path != nil))
    func `the memory of an export does not grow with the rows`() throws {
        func peak(_ count: Int) throws -> Int {
            let directory = try ScratchDirectory()
            let container = try PersistentContainer(
                url: directory.file("s.store"), model: BookStore.model())
            try container.write { writer in
                let table = try writer.table("Note")
                for number in 0..<count { _ = try table.insert([.text("A note with the number \(number)")]) }
            }
            let program = """
                import resource, subprocess, sys
                lines = 0
                process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
                for line in process.stdout: lines += 1
                assert process.wait() == 0
                print(lines, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
                """
            let line = try Python.lines(
                of: program, try ToolProcess.path("library-browser"), directory.path("s.store"), "--entity",
                "Note", "--format", "csv")
            let numbers = (line.first ?? "").split(separator: " ").compactMap { Int($0) }
            try #require(numbers.first == count + 1)
            return numbers[1]
        }
        let (few, many) = (try peak(4_000), try peak(150_000))
        // Kibibytes: a list of 150,000 objects takes tens of thousands.
        #expect(many < few + 10_000, "\(few) KiB, then \(many) KiB")
    }
}
