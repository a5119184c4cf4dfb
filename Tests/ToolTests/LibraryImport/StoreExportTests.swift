import CheckSupport
import Foundation
import SectionedFetch
import Testing
import ToolSupport

@testable import LibraryImport

/// `library-import export`, and `library-import --from` of the directory that it writes.
@Suite struct StoreExportTests {
    private let directory: ScratchDirectory

    init() throws { directory = try ScratchDirectory() }

    private func export(
        _ store: String, to name: String, _ format: ExportFormat = .csv
    ) throws -> StoreExporter {
        let source = try MoveSource(
            path: directory.path(store), model: nil, busyTimeout: 5, sharingStore: true)
        var exporter = try StoreExporter(of: source, format: format) { _ in }
        try exporter.run(to: directory.path(name)) { _ in }
        return exporter
    }

    @discardableResult
    private func importExport(
        _ name: String, to store: String, edited: Bool = false, batchSize: Int = 7
    ) throws -> ExportImportReport {
        try ExportedStore(path: directory.path(name), acceptingEdits: edited).importContents(
            to: directory.path(store), restarting: false, batchSize: batchSize, busyTimeout: 5,
            note: { _ in }, progress: { _ in })
    }

    // MARK: Random stores

    private static let names = [
        "title", "a,b", "x \"y\"", "Ünïcode é", "#hash", "semi;colon", "tab_", "a=b:c", "'single'", "naïve",
        "-dash", "(1)", "名前", "select", "owner", "member", "{json}", "[0]",
    ]

    private static func value(
        of type: AttributeType, _ generator: inout SeededGenerator
    ) -> StoredValue {
        switch type {
        case .string:
            return .text(
                [
                    "", " ", "\\", "\\N", "nil", "NULL", "a\u{0}b", "line\nbreak", "return\r\n\rx",
                    "\"quoted\"",
                    "comma, semi; tab\t", "  padded  ", "e\u{301}", "é", "😀", "\u{FEFF}mark", "007", "1e400",
                    "\\\"\"", "\\{\"text\":1}", String(repeating: "long ", count: 30_000), "{}", "[1]",
                    "true",
                    "\u{7F}\u{1B}[0m", "\u{2028}",
                ].randomElement(using: &generator)!)
        case .integer16: return .integer([0, -32_768, 32_767].randomElement(using: &generator)!)
        case .integer32:
            return .integer([7, -2_147_483_648, 2_147_483_647].randomElement(using: &generator)!)
        case .integer64: return .integer([.min, .max, 0, -1, 1 << 53 + 1].randomElement(using: &generator)!)
        case .double, .date:
            let bits = Double(bitPattern: generator.next())
            return .real(
                [
                    0.1, 1e300, -1e-300, .leastNonzeroMagnitude, .infinity, -.infinity, 3,
                    774_000_000.123456789, 1e12, -7e10,
                    bits.isNaN || bits == 0 ? 1 : bits, 0.3, 252_460_799_999.999_97,
                ].randomElement(using: &generator)!)
        case .float: return .real([0.5, Double(Float(0.1)), .infinity].randomElement(using: &generator)!)
        case .decimal: return .text(["0", "-1.5", "0.1"].randomElement(using: &generator)!)
        case .boolean: return .integer(Int64.random(in: 0...1, using: &generator))
        case .uuid: return .blob(generator.bytes(16))
        case .uri: return .text(["https://example.org/a?b=c", "x:"].randomElement(using: &generator)!)
        case .binaryData, .transformable:
            return .blob(
                generator.bytes([0, 1, 2, 3, 100, 120_000].randomElement(using: &generator)!))
        }
    }

    private static func model(_ generator: inout SeededGenerator) throws -> ManagedObjectModel {
        let count = Int.random(in: 1...5, using: &generator)
        let entityNames = ["Book", "book list", "A/B", "Größe", "con"].prefix(count).map { $0 }
        var used = 0
        var names = Self.names.shuffled(using: &generator)
        func name() -> String {
            defer { used += 1 }
            if used < names.count { return names[used] }
            names.append("p\(used)")
            return names[used]
        }
        var relationships: [[RelationshipDescription]] = Array(repeating: [], count: count)
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            let (a, b) = (
                Int.random(in: 0..<count, using: &generator), Int.random(in: 0..<count, using: &generator)
            )
            let (first, second) = (name(), name())
            let ordered = Bool.random(using: &generator)
            switch Int.random(in: 0...3, using: &generator) {
            case 0:
                relationships[a].append(
                    .toMany(first, to: entityNames[b], inverse: second, isOrdered: ordered))
                relationships[b].append(
                    .toMany(
                        second, to: entityNames[a], inverse: first,
                        isOrdered: Bool.random(using: &generator)))
            case 1:
                relationships[a].append(
                    .toMany(first, to: entityNames[b], inverse: second, isOrdered: ordered))
                relationships[b].append(.toOne(second, to: entityNames[a], inverse: first))
            case 2: relationships[a].append(.toMany(first, to: entityNames[b], isOrdered: ordered))
            default: relationships[a].append(.toOne(first, to: entityNames[b]))
            }
        }
        let entities = (0..<count).map { position in
            EntityDescription(
                name: entityNames[position],
                parentName: position > 0 && Bool.random(using: &generator) ? entityNames[position - 1] : nil,
                isAbstract: position == 0 && count > 1 && Bool.random(using: &generator),
                attributes: (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                    let type = AttributeType.allCases.filter { $0 != .transformable }
                        .randomElement(using: &generator)!
                    return AttributeDescription(
                        name: name(), type: type, isOptional: true,
                        isIndexed: type == .string && Bool.random(using: &generator),
                        allowsExternalStorage: type == .binaryData && Bool.random(using: &generator))
                }, relationships: relationships[position])
        }
        return try ManagedObjectModel(entities: entities)
    }

    private static func fill(_ context: ManagedObjectContext, _ generator: inout SeededGenerator) throws {
        var objects: [ManagedObject] = []
        for _ in 0..<Int.random(in: 0...25, using: &generator) {
            let entity = context.container.model.entities.filter { !$0.isAbstract }
                .randomElement(using: &generator)!
            let object = try context.insert(entityNamed: entity.name)
            for attribute in entity.attributes where Int.random(in: 0...3, using: &generator) > 0 {
                try object.setValue(value(of: attribute.type, &generator), forProperty: attribute.name)
            }
            objects.append(object)
        }
        for object in objects {
            for relationship in object.entity.relationships where Bool.random(using: &generator) {
                let others = objects.filter {
                    $0.entity.isKind(ofEntityNamed: relationship.destinationEntityName)
                }.shuffled(using: &generator)
                if relationship.isToMany {
                    try object.setRelatedObjects(
                        Array(others.prefix(4)), forRelationship: relationship.name)
                } else {
                    try object.setRelatedObject(others.first, forRelationship: relationship.name)
                }
            }
        }
        try context.save()
        // Gaps between the keys, and rows in another order than that of the insertion.
        for object in objects where Int.random(in: 0...5, using: &generator) == 0 {
            context.delete(object)
        }
        try context.save()
    }

    /// The contents of a store by the public interface: each object with its values and related keys.
    private func contents(_ store: String) throws -> [String] {
        let context = try PersistentContainer(url: directory.file(store)).newContext()
        var lines: [String] = []
        for entity in context.container.model.entities.sorted(by: { $0.name < $1.name }) {
            let request = FetchRequest<ManagedObject>(
                entityName: entity.name, sortDescriptors: [.ascending("objectID")])
            for object in try context.fetch(request) where object.entity.name == entity.name {
                var line = "\(entity.name)/\(object.objectID.primaryKey ?? 0)"
                for attribute in object.entity.attributes {
                    line += " \(try object.value(forProperty: attribute.name))"
                    if case .blob(let bytes) = try object.value(forProperty: attribute.name) {
                        line += " \(bytes.hashValue)"
                    }
                }
                for relationship in object.entity.relationships {
                    let keys =
                        relationship.isToMany
                        ? try object.relatedObjects(relationship.name).map { $0.objectID.primaryKey }
                        : [try object.relatedObject(relationship.name)?.objectID.primaryKey]
                    line += " \(keys.map { $0.map(String.init) ?? "nil" })"
                }
                lines.append(line)
            }
        }
        return lines
    }

    /// The schema and the rows of the tables of a store, as the sqlite3 shell writes them, in any order.
    private func dump(_ store: String) throws -> [Substring] {
        try ForeignWriter.run(".dump", on: directory.path(store)).split(separator: "\n").filter {
            // The highest keys of deleted objects are not exported.
            !$0.contains("sc_") && !$0.contains("sqlite_sequence")
        }.sorted()
    }

    @Test(arguments: ExportFormat.allCases)
    func `a random store, exported and imported, is equal by the interface and in SQL`(
        format: ExportFormat
    ) throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        for number in 0..<4 {
            let (store, new, files, again) = ("s\(number)", "n\(number)", "d\(number)", "e\(number)")
            let model = try Self.model(&generator)
            let container = try PersistentContainer(url: directory.file(store), model: model)
            try Self.fill(container.newContext(), &generator)
            let exporter = try export(store, to: files, format)
            #expect(exporter.losses.isEmpty && exporter.omissions.isEmpty)
            let report = try importExport(files, to: new)
            #expect(report.clearedReferences.count == 0)
            let copy = try PersistentContainer(url: directory.file(new)).model
            #expect(try copy.jsonText() == container.model.jsonText(), "seed \(seed), store \(number)")
            #expect(try contents(new) == contents(store), "seed \(seed), store \(number)")
            // Rows contain the numbers of large values, which follow the order of their insertion.
            let hasLargeValues = model.entities.contains {
                $0.attributes.contains(where: \.allowsExternalStorage)
            }
            let difference = try dump(new).difference(from: dump(store)).map { "\($0)".prefix(300) }
            #expect(hasLargeValues || difference == [], "seed \(seed), store \(number): \(difference)")
            // The export of an equal store has equal files.
            _ = try export(new, to: again, format)
            #expect(
                try ScratchDirectory.contents(of: directory.file(files))
                    == ScratchDirectory.contents(of: directory.file(again)))
        }
    }

    @Test(.enabled(if: PublishedDatabase.chinook != nil, PublishedDatabase.reason))
    func `an export of another program's database becomes the store that a move makes`() throws {
        let chinook = try #require(PublishedDatabase.chinook)
        try FileManager.default.copyItem(atPath: chinook.path, toPath: directory.path("chinook"))
        let moved = try ToolProcess.run(
            "library-import", ["--from", directory.path("chinook"), directory.path("moved")])
        #expect(moved.status == 0, "\(moved)")
        let exporter = try export("chinook", to: "files", .jsonl)
        #expect(exporter.losses.isEmpty && exporter.files.reduce(0) { $0 + $1.rows } == 6_892 + 8_715)
        try importExport("files", to: "new", batchSize: 5_000)
        #expect(try dump("new") == dump("moved"))
    }

    // MARK: Files

    private func makeBooks(_ count: Int = 3) throws {
        let author = EntityDescription(
            name: "Author",
            attributes: [AttributeDescription(name: "name", type: .string, rules: [.maximum(20)])],
            relationships: [.toMany("books", to: "Book", inverse: "author")])
        let book = EntityDescription(
            name: "Book",
            attributes: [
                AttributeDescription(name: "title", type: .string, isOptional: true),
                AttributeDescription(name: "pages", type: .integer16, isOptional: true),
            ],
            relationships: [
                .toOne("author", to: "Author", inverse: "books"), .toMany("tags", to: "Author"),
            ])
        let context = try PersistentContainer(
            url: directory.file("books"), model: ManagedObjectModel(entities: [author, book])
        ).newContext()
        let ann = try context.insert(entityNamed: "Author")
        try ann.setValue("Ann", forProperty: "name")
        for number in 0..<count {
            let object = try context.insert(entityNamed: "Book")
            try object.setValue(.text("Book \(number)"), forProperty: "title")
            try object.setRelatedObject(ann, forRelationship: "author")
            try object.setRelatedObjects([ann], forRelationship: "tags")
        }
        try context.save()
    }

    private func refusal(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    private func edit(_ file: String, _ old: String, _ new: String) throws {
        let url = directory.file("files/\(file)")
        let text = try String(contentsOf: url, encoding: .utf8)
        try #require(text.contains(old))
        try text.replacing(old, with: new).write(to: url, atomically: true, encoding: .utf8)
    }

    @Test func `nothing is overwritten, and a failed export leaves no directory`() throws {
        try makeBooks()
        _ = try export("books", to: "files")
        #expect(refusal { _ = try export("books", to: "files") }.contains("exists. Nothing was written"))
        #expect(refusal { _ = try export("books", to: "books") }.contains("exists. Nothing was written"))
        #expect(refusal { _ = try export("books", to: "none/files") }.contains("cannot be made"))
        try FileManager.default.createDirectory(
            at: directory.file("empty"), withIntermediateDirectories: false)
        _ = try export("books", to: "empty")
        #expect(FileManager.default.fileExists(atPath: directory.path("empty/Book.csv")))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(!names.contains { $0.contains("partial") })
        try importExport("files", to: "new")
        #expect(refusal { try importExport("files", to: "new") }.contains("exists. Nothing was changed"))
    }

    @Test func `a changed file is refused, or imported and checked`() throws {
        try makeBooks()
        _ = try export("books", to: "files")
        try edit("Book.csv", "Book 1", "Livre 1")
        #expect(refusal { try importExport("files", to: "new") }.contains("--edited"))
        #expect(!FileManager.default.fileExists(atPath: directory.path("new")))
        try importExport("files", to: "new", edited: true)
        #expect(
            try ForeignWriter.run("SELECT title FROM Book ORDER BY 1", on: directory.path("new"))
                == "Book 0\nBook 2\nLivre 1\n")
    }

    @Test(arguments: [
        ("Book.csv", "Book 1,", "Book 1,99999", ":3: pages: “99999” is not a value of type integer16"),
        ("Book.csv", "2,Book 1", "1,Book 1", ":3:"), ("Book.csv", "2,Book 1", ",Book 1", "needs a key"),
        ("Book.csv", "pages", "seiten", "the columns must be"),
        ("Author.csv", "Ann", "", ":2: name: the attribute needs a value"),
        ("Author.csv", "Ann", "A name of more than twenty letters", "breaks the rule"),
        ("Book.tags.csv", "2,1", "2,7", "owner 2 and member 7"),
        ("Book.csv", "Book 1", "\"Book 1", "never closed"),
        ("export.json", "\"tags\"", "\"tag\"", "does not name one file for each"),
        ("model.json", "\"Author\"", "\"\"", "is not a model"),
        ("Book.csv", "Book 1", #""\{""textFile"":""../../etc/passwd""}""#, "missing or damaged"),
    ])
    func `a fault in a changed file is named with its place`(
        file: String, old: String, new: String, message: String
    ) throws {
        try makeBooks()
        _ = try export("books", to: "files")
        try edit(file, old, new)
        let refusal = refusal { try importExport("files", to: "new", edited: true) }
        #expect(refusal.contains(message) && refusal.contains(file), "\(refusal)")
    }

    @Test func `an interrupted import continues with the next row, unless the files changed`() throws {
        try makeBooks(50)
        _ = try export("books", to: "files")
        struct Stop: Error {}
        func start(restarting restarts: Bool = false) throws {
            _ = try ExportedStore(path: directory.path("files"), acceptingEdits: true).importContents(
                to: directory.path("new"), restarting: restarts, batchSize: 7, busyTimeout: 5,
                note: { _ in }, progress: { if $0.rows == 1 + 28 { throw Stop() } })
        }
        #expect(throws: Stop.self) { try start() }
        #expect(
            try ForeignWriter.run("SELECT count(*) FROM Book", on: directory.path("new")) == "28\n")
        try importExport("files", to: "new")
        #expect(try dump("new") == dump("books"))
        try FileManager.default.removeItem(at: directory.file("new"))
        #expect(throws: Stop.self) { try start() }
        try edit("Book.csv", "Book 3,", "Livre 3,")
        #expect(refusal { try importExport("files", to: "new", edited: true) }.contains("has changed since"))
        #expect(throws: Stop.self) { try start(restarting: true) }
        try importExport("files", to: "new", edited: true)
        #expect(
            try ForeignWriter.run("SELECT count(*) FROM Book WHERE title > 'L'", on: directory.path("new"))
                == "1\n")
    }

    @Test func `rows belong to one state while another program writes`() throws {
        try makeBooks(1_200)
        let source = try MoveSource(
            path: directory.path("books"), model: nil, busyTimeout: 5, sharingStore: true)
        var exporter = try StoreExporter(of: source, format: .csv) { _ in }
        var error: (any Error)?
        try exporter.run(to: directory.path("files")) { _ in
            do {
                try ForeignWriter.run(
                    "UPDATE Book SET title = 'changed'; DELETE FROM `Book.tags`",
                    on: directory.path("books"))
            } catch let thrown {
                error = thrown
            }
        }
        #expect(error == nil)
        let text = try String(contentsOf: directory.file("files/Book.csv"), encoding: .utf8)
        #expect(!text.contains("changed") && text.contains("Book 1199"))
        #expect(exporter.files.map(\.rows) == [1, 1_200, 1_200])
    }

    @Test func `the commands report their results`() throws {
        try makeBooks()
        let store = directory.path("books")
        let run = try ToolProcess.run("library-import", ["export", store, directory.path("files")])
        #expect(run.status == 0 && run.output.contains("3 files with 7 rows"), "\(run)")
        let new = try ToolProcess.run(
            "library-import", ["--from", directory.path("files"), directory.path("new"), "--json"]
        ).jsonObject()
        #expect((new["files"] as? [Any])?.count == 3)
        try ToolProcess.run("library-import", ["--from", directory.url.path, directory.path("other")])
            .expectRefusal(saying: "It is not a store that “library-import export” wrote")
    }
}
