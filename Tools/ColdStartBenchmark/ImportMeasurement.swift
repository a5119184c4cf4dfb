import Foundation

/// Rows a second.
struct ImportRates {
    let tool: Spread
    let loop: Spread
    let rows: Int
}

/// Imports a CSV file with `library-import`, and beside it inserts the same rows, already parsed and in memory, with a prepared
/// statement in C.
struct ImportMeasurement {
    let folder: WorkFolder
    let rows: Int

    private static let attributes = [
        ("key", "integer64"), ("title", "string"), ("artist", "string"), ("album", "string"),
        ("year", "integer32"),
        ("genre", "string"), ("section", "string"), ("duration", "integer32"), ("added", "date"),
    ]

    func run(rounds: Int) throws -> ImportRates {
        let sample = try WorkFolder.program("cold-start-sample")
        let floor = try WorkFolder.program("cold-start-floor")
        let tool = try WorkFolder.program("library-import")
        Plan.note("Measuring the import of \(rows) songs …")
        let csv = folder.path("import.csv")
        let binary = folder.path("import.rows")
        _ = try SampleRunner.output(of: sample, ["rows", csv, binary, String(rows)])
        let mapping = folder.path("import-mapping.json")
        let list = Self.attributes.map {
            "{\"name\": \"\($0.0)\", \"type\": \"\($0.1)\", \"optional\": false}"
        }
        try Data("{\"entity\": \"Song\", \"attributes\": [\(list.joined(separator: ", "))]}".utf8)
            .write(to: URL(filePath: mapping))
        var toolRates: [Double] = []
        var loopRates: [Double] = []
        for round in 0...rounds {
            try removeStores()
            let (output, _) = try SampleRunner.output(
                of: tool, ["import", csv, folder.path("import.sqlite"), "--mapping", mapping, "--json"])
            let summary = try JSONDecoder().decode(Summary.self, from: Data(output))
            guard summary.inserted == rows else {
                throw BenchmarkError("the import inserted \(summary.inserted) rows")
            }
            // The same table without triggers, made by emptying the tool's store of everything else.
            try makePlainStore(sample: sample)
            let loop = try SampleRunner.run(
                floor, ["import", folder.path("plain.sqlite"), binary, String(Self.attributes.count)])
            guard loop.rows == rows else { throw BenchmarkError("the C loop inserted \(loop.rows) rows") }
            guard round > 0 else { continue }
            toolRates.append(Double(rows) / summary.seconds)
            loopRates.append(Double(rows) / (loop.nanoseconds / 1e9))
        }
        try removeStores()
        return ImportRates(tool: Spread(toolRates), loop: Spread(loopRates), rows: rows)
    }

    private struct Summary: Decodable {
        let inserted: Int
        let seconds: Double
    }

    private func makePlainStore(sample: String) throws {
        let columns = Self.attributes.map { name, type in
            "\(name) \(type.hasPrefix("integer") ? "INTEGER" : type == "date" ? "REAL" : "TEXT")"
        }
        let sql =
            "PRAGMA journal_mode = WAL; CREATE TABLE Song (objectID INTEGER PRIMARY KEY AUTOINCREMENT, \(columns.joined(separator: ", ")))"
        _ = try SampleRunner.output(of: sample, ["plain", folder.path("plain.sqlite"), sql])
    }

    private func removeStores() throws {
        for store in ["import.sqlite", "plain.sqlite"] {
            for ending in ["", "-wal", "-shm"] { try folder.remove(store + ending) }
        }
    }
}
