import RecordReading
import ToolSupport

/// The report of bad rows on standard error.
///
/// Rows with a wrong number of fields are often thousands, so only the first of each number are listed, and
/// the others are counted.
final class ProblemReport {
    /// The number of rows that are listed for each number of fields.
    static let listedCount = 5

    private var counts: [Int: Int] = [:]
    private var expected = 0

    /// Reports a bad row.
    func add(_ error: RecordError) {
        if case .fieldCount(let found, let expected) = error.reason {
            self.expected = expected
            counts[found, default: 0] += 1
            if counts[found, default: 0] > Self.listedCount { return }
        }
        ImportProgress.clear()
        writeToStandardError("\(TerminalText.escaped(error.description))\n")
    }

    /// Reports the numbers of the rows that were not listed.
    func finish() {
        for (found, count) in counts.sorted(by: { $0.key < $1.key }) where count > Self.listedCount {
            LibraryImport.note(
                "\(Quantity.count(count, "row")) with \(Quantity.count(found, "field")) instead of \(expected), of which \(Quantity.count(count - Self.listedCount)) more than those above."
            )
        }
    }
}
