import BenchmarkSupport
import Foundation

/// Import rates in rows per second.
struct ImportRates {
    /// The rate of the import tool, with parsing, checking, tracking and the start and end of its process.
    let tool: Spread
    /// The rate of the C program, which only inserts.
    let loop: Spread
    let rows: Int
}

/// Imports a CSV file with `library-import`, and inserts the same rows, already parsed and in memory, with a
/// prepared statement in C.
struct ImportMeasurement {
    let folder: WorkFolder
    let programs: Programs
    let rows: Int

    private static let entity = "Song"
    private static let toolStore = "import.sqlite"
    private static let loopStore = "import-loop.sqlite"

    /// The columns of the generator's file and of the C program's rows, in this order.
    private static let columns = [
        ("key", "integer64"), ("title", "string"), ("artist", "string"), ("album", "string"),
        ("year", "integer32"), ("genre", "string"), ("section", "string"), ("duration", "integer32"),
        ("added", "date"),
    ]

    /// Measures both programs in turn.
    ///
    /// - Returns: The rates; nil if the import tool is not built.
    func measure(rounds: Int) throws -> ImportRates? {
        guard let tool = programs.importTool else {
            Progress.note(
                "“library-import” is not in this program's directory, so the import is not measured.")
            return nil
        }
        Progress.note("Importing \(rows) songs …")
        let csv = folder.path("import-\(rows).csv")
        let parsed = folder.path("import-\(rows).rows")
        let mapping = folder.path("import-mapping.json")
        _ = try ChildProcess.run(programs.sample, ["rows", csv, parsed, String(rows)])
        try Data(Self.mapping.utf8).write(to: URL(filePath: mapping))
        var toolRates: [Double] = []
        var loopRates: [Double] = []
        for round in 0...rounds {
            try removeStores()
            let process = try ChildProcess.run(
                tool, ["import", csv, folder.path(Self.toolStore), "--mapping", mapping, "--json"])
            let summary = try JSONDecoder().decode(Summary.self, from: Data(process.output))
            guard summary.inserted == rows else {
                throw BenchmarkError("The import inserted \(summary.inserted) of \(rows) rows.")
            }
            _ = try ChildProcess.run(
                programs.sample,
                ["plain", folder.path(Self.toolStore), folder.path(Self.loopStore), Self.entity])
            let loop = try Sample(
                ChildProcess.run(
                    programs.floor,
                    ["import", folder.path(Self.loopStore), parsed, Self.entity, String(Self.columns.count)]))
            guard loop.rows == rows else {
                throw BenchmarkError("The C program inserted \(loop.rows) of \(rows) rows.")
            }
            // The first round is a warm-up.
            guard round > 0 else { continue }
            toolRates.append(Double(rows) / process.milliseconds * 1e3)
            loopRates.append(Double(rows) / loop.inside * 1e3)
        }
        try removeStores()
        try folder.remove("import-\(rows).csv")
        try folder.remove("import-\(rows).rows")
        return ImportRates(tool: Spread(toolRates), loop: Spread(loopRates), rows: rows)
    }

    private struct Summary: Decodable {
        let inserted: Int
    }

    private static var mapping: String {
        let attributes = columns.map { name, type in
            "{\"name\": \"\(name)\", \"type\": \"\(type)\", \"optional\": false}"
        }
        return "{\"entity\": \"\(entity)\", \"attributes\": [\(attributes.joined(separator: ", "))]}"
    }

    private func removeStores() throws {
        for store in [Self.toolStore, Self.loopStore] { try folder.removeDatabase(store) }
    }
}
