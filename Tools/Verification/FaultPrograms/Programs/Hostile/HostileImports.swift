import Foundation
import GRDB
import Mutants
import SectionedFetch
import CheckSupport

/// Malformed import files. The importer must refuse them with the location of the error, and leave the store
/// unchanged or absent.
enum HostileImports: FaultProgram {
    static let name = "hostile-imports"
    static let rows = ["A-34"]
    static let summary =
        "imports files that are too deep, too large, in other encodings or against the grammar"
    static let releaseCount = 2_000
    static let mutants: [Mutant] = [.unlimitedNesting, .repairedInput, .noSizeLimit, .entityBeforeRows]
    /// A small multiple of the number of kinds of files.
    static let huntCount = 3 * HostileFile.Kind.allCases.count

    /// The store into which a file is imported.
    private enum Target: CaseIterable {
        /// A store with songs.
        case songs
        /// A store without songs, but with another entity.
        case others
        /// A store that does not exist yet.
        case none
    }

    static func run(_ run: inout FaultRun) throws {
        let mapping = run.folder.appending(path: "mapping.json")
        try Data(Self.mapping.utf8).write(to: mapping)
        // The kinds follow one another; the seed determines the first.
        let kinds = HostileFile.Kind.allCases
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let kind = kinds[(Int(run.seed % UInt64(kinds.count)) + trial) % kinds.count]
            let file = HostileFile(kind, using: &generator)
            let target = Target.allCases.randomElement(using: &generator)!
            let title = "trial \(trial), \(kind), into \(target)"
            let path = run.folder.appending(path: "Song.\(file.isJSON ? "json" : "csv")")
            try Data(file.bytes).write(to: path)
            let store = run.folder.appending(path: "\(target).store")
            if target != .none, access(store.path, F_OK) != 0 { try makeStore(target, at: store) }
            let before = try contents(of: store)
            let tool = try ToolRun(
                "library-import",
                [
                    "import", path.path, store.path, "--mapping", mapping.path, "--atomic", "--on-error",
                    "stop",
                ] + file.options,
                folder: run.folder)
            try tool.checkManners(of: title)
            if let refusal = file.refusal {
                try check(tool, refusal, path: path.path, title)
                guard try contents(of: store) == before else {
                    throw FaultFinding("\(title): the store was changed by a refused import")
                }
                run.note(.refused)
            } else {
                guard tool.status == 0 else { throw FaultFinding("\(title): \(tool.errors)") }
                let titles = try titles(in: store, from: HostileFile.firstIdentifier)
                guard titles == file.titles else {
                    throw FaultFinding(
                        "\(title): \(titles.count) rows are imported instead of \(file.titles.count), or different ones"
                    )
                }
                // Each trial begins with a new store.
                for suffix in ["", "-wal", "-shm"] { unlink(store.path + suffix) }
                run.note(.right)
            }
        }
    }

    /// Checks that a refusal gives the location and the reason.
    private static func check(
        _ tool: ToolRun, _ refusal: HostileFile.Refusal, path: String, _ title: String
    ) throws {
        guard tool.status == 2 else { throw FaultFinding("\(title): it was not refused: \(tool.output)") }
        let location = refusal.line.map { "\(path):\($0):" } ?? "\(path):"
        guard tool.errors.contains(location), tool.errors.contains(refusal.words) else {
            throw FaultFinding(
                "\(title): expected “\(location) … \(refusal.words)”, found \(tool.errors.debugDescription)")
        }
    }

    private static let song = EntityDescription(
        name: "Song",
        attributes: [
            AttributeDescription(name: "id", type: .integer64, isUnique: true),
            AttributeDescription(name: "title", type: .string, isOptional: true),
            AttributeDescription(name: "length", type: .double, isOptional: true),
        ])

    /// The mapping for files that are imported into a store without the entity.
    private static let mapping = """
        {"entity": "Song", "key": "id", "attributes": [
            {"name": "id", "type": "integer64"}, {"name": "title", "type": "string"},
            {"name": "length", "type": "double"}]}
        """

    /// Creates a store with rows that a refused import must not change.
    private static func makeStore(_ target: Target, at url: URL) throws {
        let other = EntityDescription(
            name: "Film", attributes: [AttributeDescription(name: "title", type: .string)])
        let model = try ManagedObjectModel(entities: [target == .songs ? song : other])
        let container = try PersistentContainer(url: url, model: model)
        try container.write { writer in
            let table = try writer.table(target == .songs ? "Song" : "Film")
            for number in 1...20 {
                let values: [StoredValue] = [
                    .integer(Int64(number)), .text("Song \(number)"), .real(Double(number) / 2),
                ]
                _ = try table.insert(target == .songs ? values : [values[1]])
            }
        }
    }

    /// Returns the schema and the rows of each table, read by another connection; nil if the file does not
    /// exist.
    private static func contents(of url: URL) throws -> [String: [Row]]? {
        guard access(url.path, F_OK) == 0 else { return nil }
        return try withStore(url) { database in
            let schema = try Row.fetchAll(database, sql: "SELECT type, name, sql FROM sqlite_schema")
            var contents = ["": schema]
            for table in schema where table["type"] == "table" {
                let name: String = table["name"]
                contents[name] = try Row.fetchAll(database, sql: "SELECT * FROM \"\(name)\"")
            }
            return contents
        }
    }

    private static func titles(in url: URL, from identifier: Int) throws -> [String?] {
        try withStore(url) {
            try Optional<String>.fetchAll(
                $0, sql: "SELECT title FROM Song WHERE id >= ? ORDER BY id", arguments: [identifier])
        }
    }

    private static func withStore<Result>(_ url: URL, _ body: (Database) throws -> Result) throws -> Result {
        let queue = try DatabaseQueue(path: url.path)
        return try queue.writeWithoutTransaction(body)
    }
}
