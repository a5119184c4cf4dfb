import Foundation
import GRDB
import SeededBugs
import SectionedFetch
import TestSupport

/// Files for import that are not what they seem: refused with the place of what is wrong, and the store as it
/// was.
enum HostileImports: FaultProgram {
    static let name = "hostile-imports"
    static let rows = ["A-34"]
    static let summary =
        "imports files that are too deep, too large, in other encodings or against the grammar"
    static let releaseCount = 2_000
    static let bugs: [SeededBug] = [.unlimitedNesting, .repairedInput, .noSizeLimit]
    /// A few times as many as there are kinds of files.
    static let huntCount = 3 * HostileFile.Kind.allCases.count

    static func run(_ run: inout FaultRun) throws {
        let store = run.folder.appending(path: "songs.store")
        try makeStore(at: store)
        let before = try contents(of: store)
        // All kinds come up one after the other, from another one with each seed.
        let kinds = HostileFile.Kind.allCases
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let kind = kinds[(Int(run.seed % UInt64(kinds.count)) + trial) % kinds.count]
            let file = HostileFile(kind, using: &generator)
            let path = run.folder.appending(path: "Song.\(file.isJSON ? "json" : "csv")")
            try Data(file.bytes).write(to: path)
            let what = "trial \(trial), \(kind)"
            let tool = try ToolRun(
                "library-import",
                ["import", path.path, store.path, "--key", "id", "--atomic", "--on-error", "stop"]
                    + file.options,
                folder: run.folder)
            try tool.checkManners(of: what)
            if let refusal = file.refusal {
                try check(tool, refusal, path: path.path, what)
                guard try contents(of: store) == before else {
                    throw FaultFinding("\(what): the store was changed by what was refused")
                }
                run.note(.refused)
            } else {
                guard tool.status == 0 else { throw FaultFinding("\(what): \(tool.errors)") }
                let titles = try titles(in: store, from: HostileFile.firstIdentifier)
                guard titles == file.titles else {
                    throw FaultFinding(
                        "\(what): \(titles.count) rows are imported, not \(file.titles.count), or other ones")
                }
                // What was imported goes again, so that each trial begins alike.
                try withStore(store) {
                    try $0.execute(
                        sql: "DELETE FROM Song WHERE id >= ?", arguments: [HostileFile.firstIdentifier])
                }
                run.note(.right)
            }
        }
    }

    /// Checks that a refusal says where and what.
    private static func check(
        _ tool: ToolRun, _ refusal: HostileFile.Refusal, path: String, _ what: String
    ) throws {
        guard tool.status == 2 else { throw FaultFinding("\(what): it was not refused: \(tool.output)") }
        let place = refusal.line.map { "\(path):\($0):" } ?? "\(path):"
        guard tool.errors.contains(place), tool.errors.contains(refusal.words) else {
            throw FaultFinding(
                "\(what): expected “\(place) … \(refusal.words)”, found \(tool.errors.debugDescription)")
        }
    }

    /// A store with some songs, which no trial may change.
    private static func makeStore(at url: URL) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Song",
                attributes: [
                    AttributeDescription(name: "id", type: .integer64, isUnique: true),
                    AttributeDescription(name: "title", type: .string, isOptional: true),
                    AttributeDescription(name: "length", type: .double, isOptional: true),
                ])
        ])
        let container = try PersistentContainer(url: url, model: model)
        try container.write { writer in
            let table = try writer.table("Song")
            for number in 1...20 {
                _ = try table.insert([
                    .integer(Int64(number)), .text("Song \(number)"), .real(Double(number) / 2),
                ])
            }
        }
    }

    /// The rows of the store, as another program reads them.
    private static func contents(of url: URL) throws -> [Row] {
        try withStore(url) { try Row.fetchAll($0, sql: "SELECT * FROM Song ORDER BY objectID") }
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
