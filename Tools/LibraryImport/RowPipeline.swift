import Foundation
import RecordReading
import SectionedFetch

/// Reads records and converts their fields on a thread of its own, while another writes rows into the store.
///
/// Reading and converting take about as long as SQLite's inserts, so two threads import half as much again as one. At most
/// a few pieces wait, so memory does not grow with the file.
///
/// SAFETY: all shared state is guarded by `condition`; the reader is used by the reading thread alone.
final class RowPipeline: @unchecked Sendable {
    /// One record: a row, or why there is none.
    enum Item {
        case row(values: [StoredValue], names: [String?], line: Int)
        case bad(RecordError)
    }

    /// Some records, and how far the file was read with them.
    struct Piece {
        var items: [Item] = []
        var byteOffset = 0
    }

    private static let pieceSize = 500
    private static let capacity = 8

    private let reader: any RecordReader
    private let mapping: Mapping
    private let file: String
    private let columns: (attributes: [Int], relationships: [Int])
    private let condition = NSCondition()
    private var pieces: [Piece] = []
    private var isAtEnd = false
    private var isCancelled = false

    /// The size of the file in bytes.
    let byteCount: Int

    /// Begins to read.
    ///
    /// - Throws: ``ImportError`` for a column that the file does not have.
    init(_ reader: any RecordReader, file: String, mapping: Mapping) throws {
        self.reader = reader
        self.mapping = mapping
        self.file = file
        byteCount = reader.byteCount
        columns = try mapping.columns(in: reader.fieldNames)
        let thread = Thread { [self] in read() }
        thread.name = "record reader"
        thread.start()
    }

    /// The next records; nil after the last.
    func next() -> Piece? {
        condition.lock()
        defer { condition.unlock() }
        while pieces.isEmpty, !isAtEnd { condition.wait() }
        guard !pieces.isEmpty else { return nil }
        condition.signal()
        return pieces.removeFirst()
    }

    /// Lets the reading thread end.
    func cancel() {
        condition.lock()
        isCancelled = true
        condition.broadcast()
        condition.unlock()
    }

    private func read() {
        var goesOn = true
        while goesOn {
            var piece = Piece()
            while piece.items.count < Self.pieceSize, goesOn {
                do {
                    goesOn = try reader.next()
                    if goesOn { piece.items.append(convert()) }
                } catch {
                    piece.items.append(.bad(error))
                    goesOn = !error.isFatal
                }
            }
            piece.byteOffset = reader.byteOffset
            guard hand(over: piece, isLast: !goesOn) else { return }
        }
    }

    /// Queues a piece when there is room; false if nobody wants it any more.
    private func hand(over piece: Piece, isLast: Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while pieces.count >= Self.capacity, !isCancelled { condition.wait() }
        pieces.append(piece)
        isAtEnd = isLast
        condition.signal()
        return !isCancelled
    }

    private func convert() -> Item {
        var values: [StoredValue] = []
        values.reserveCapacity(columns.attributes.count + columns.relationships.count)
        for (position, column) in columns.attributes.enumerated() {
            let type = mapping.attributes[position].type
            guard let value = reader.withBytes(ofField: column, { FieldConversion.value($0, as: type) })
            else {
                return .bad(badValue(position, column))
            }
            values.append(value)
        }
        return .row(
            values: values, names: columns.relationships.map { reader.text(ofField: $0) }, line: reader.line)
    }

    private func badValue(_ position: Int, _ column: Int) -> RecordError {
        let attribute = mapping.attributes[position]
        let text = reader.text(ofField: column) ?? ""
        let shown = text.count > 60 ? text.prefix(60) + "…" : text[...]
        return RecordError(
            file: file, line: reader.line, column: column + 1, columnName: attribute.column,
            reason: .value("“\(shown)” is no \(attribute.type.rawValue)"))
    }
}
