import Foundation
import RecordReading
import ToolSupport

/// The report of bad rows: the first of them on standard error, the number of each kind, and all in a file if
/// there is one.
///
/// A file may have thousands of rows with a wrong number of fields, so only a few rows of each number are
/// listed.
final class ProblemReport {
    /// The number of rows that are listed for each number of fields.
    static let listedCount = 5
    /// The number of rows that are listed.
    static let capacity = 20
    /// The number of causes that are counted one by one.
    private static let maximumCauses = 50

    /// The file for the bad records, or nil.
    var rejects: RejectsFile?
    /// The names of the columns with texts that are not values of their attributes' types.
    private(set) var invalidColumns: Set<String> = []
    private var listed = 0
    private var counts: [Int: (all: Int, listed: Int)] = [:]
    private var causes: [String: (all: Int, listed: Int)] = [:]
    private var expected = 0

    /// Reports a bad row.
    ///
    /// - Parameter record: The text of the record, if it is kept.
    /// - Throws: ``ToolFailure`` if the file for the bad records cannot be written.
    func add(_ error: RecordError, record: [UInt8]?) throws(ToolFailure) {
        try rejects?.add(error, record: record)
        var isListed = listed < Self.capacity
        if case .fieldCount(let found, let expected) = error.reason {
            self.expected = expected
            let count = counts[found] ?? (0, 0)
            isListed = isListed && count.listed < Self.listedCount
            counts[found] = (count.all + 1, count.listed + (isListed ? 1 : 0))
        } else {
            var kind = error.kind
            if causes[kind] == nil, causes.count >= Self.maximumCauses { kind = "other causes" }
            let count = causes[kind] ?? (0, 0)
            causes[kind] = (count.all + 1, count.listed + (isListed ? 1 : 0))
        }
        guard isListed else { return }
        listed += 1
        ImportProgress.clear()
        writeToStandardError("\(TerminalText.escaped(error.description))\n")
    }

    /// Takes note of the column of a text that is not a value of its attribute's type.
    func noteInvalidColumn(of error: RecordError) {
        guard case .value(let detail) = error.reason, detail.contains(RecordError.invalidValue),
            let name = error.columnName
        else { return }
        invalidColumns.insert(name)
    }

    /// Writes the bad records so far to their file.
    func flush() throws(ToolFailure) { try rejects?.flush() }

    /// Reports the numbers of the rows that were not listed, and the file.
    func finish() {
        for (found, count) in counts.sorted(by: { $0.key < $1.key }) where count.all > count.listed {
            LibraryImport.note(
                "\(Quantity.count(count.all, "row")) with \(Quantity.count(found, "field")) instead of \(expected), of which \(Quantity.count(count.all - count.listed)) more than those above."
            )
        }
        let unlisted = causes.filter { $0.value.all > $0.value.listed }
        for (cause, count) in unlisted.sorted(by: { ($1.value.all, $0.key) < ($0.value.all, $1.key) }) {
            LibraryImport.note(
                "\(Quantity.count(count.all, "bad row")), of which \(Quantity.count(count.all - count.listed)) more than those above: \(cause)."
            )
        }
        do throws(ToolFailure) {
            if let text = try rejects?.finish() { LibraryImport.note(text) }
        } catch {
            LibraryImport.note(error.message)
        }
    }
}

extension RecordError {
    /// The words of the reason for a text that is not a value of its attribute's type.
    fileprivate static let invalidValue = " is not a valid "

    /// The cause of the error, without the parts that differ from row to row.
    fileprivate var kind: String {
        let text =
            switch reason {
            case .value(let detail) where columnName != nil: Self.withoutValues(detail)
            case .invalidUTF8: "not UTF-8"
            case .invalidText(let encoding, _): "not \(encoding)"
            case .json(let detail, _): detail
            case .dialect:
                "\(reason)".range(of: ", at byte ").map { String("\(reason)"[..<$0.lowerBound]) }
                    ?? "\(reason)"
            case .duplicateName: "duplicate names"
            default: "\(reason)"
            }
        return columnName.map { "“\($0)”: \(text)" } ?? text
    }

    private static func withoutValues(_ text: String) -> String {
        if text.contains("” would become ") { return "the text would be changed" }
        guard let words = text.range(of: invalidValue, options: .backwards) else { return text }
        return "the text" + text[words.lowerBound...]
    }
}
