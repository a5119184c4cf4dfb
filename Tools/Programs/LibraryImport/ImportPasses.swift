/// The passes over a file, each of which begins at its start.
struct ImportPasses {
    /// The number of passes that are expected.
    var expected = 1
    /// The number of complete passes.
    private(set) var complete = 0
    /// The number of rows that the complete passes read.
    private(set) var rowsBefore = 0
    private var last: Importer.Progress?

    /// Adds the progress of the current pass.
    ///
    /// - Returns: The number of rows of the pass before if this one is new.
    mutating func add(_ progress: Importer.Progress) -> Int? {
        var rows: Int?
        if let last, progress.byteOffset < last.byteOffset { rows = end(last) }
        last = progress
        return rows
    }

    /// Records that the next pass is the last one.
    ///
    /// - Returns: The number of rows of the pass before, if there is one.
    mutating func beginLast() -> Int? {
        let rows = last.map { end($0) }
        last = nil
        expected = complete + 1
        return rows
    }

    private mutating func end(_ pass: Importer.Progress) -> Int {
        complete += 1
        rowsBefore += pass.rows
        expected = max(expected, complete + 1)
        return pass.rows
    }

    /// Returns the share of all passes that is complete, as if each took the same time.
    func fraction(_ progress: Importer.Progress) -> Double {
        let current = min(1, Double(progress.byteOffset) / Double(max(1, progress.byteCount)))
        return (Double(complete) + current) / Double(max(expected, complete + 1))
    }
}
