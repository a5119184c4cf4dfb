import ToolSupport

/// The result of an import of an exported store.
struct ExportImportReport {
    /// The numbers of rows by file.
    var files: [(name: String, rows: Int)] = []
    /// The references to objects that do not exist, which became nil.
    var clearedReferences = ClearedReferences()

    /// The report as lines of text.
    func lines(path: String, store: String, _ elapsed: Duration) -> [String] {
        let rows = files.reduce(0) { $0 + $1.rows }
        var lines = [
            "The export \(path) is in \(store): \(Quantity.count(files.count, "file")) with \(Quantity.count(rows, "row")). \(Quantity.duration(elapsed))"
        ]
        var table = TextTable(alignments: [.left, .right])
        lines += table.lines(files.map { [$0.name, Quantity.count($0.rows, "row")] }).map { "    " + $0 }
        return lines + clearedReferences.lines
    }

    /// The report as JSON.
    func json(path: String, store: String) -> JSONValue {
        [
            "source": .string(path), "store": .string(store),
            "files": .array(files.map { ["name": .string($0.name), "rows": .count($0.rows)] }),
            "clearedReferences": .count(clearedReferences.count),
            "clearedReferenceExamples": clearedReferences.json,
        ]
    }
}
