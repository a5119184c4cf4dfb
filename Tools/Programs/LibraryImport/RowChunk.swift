import RecordReading
import SectionedFetch

/// A run of rows that were read and converted, to be written to the store.
///
/// Chunks pass from the reading to the writing thread, so that the threads do not synchronize for each row.
struct RowChunk: Sendable {
    /// The values of all rows, row by row, in the order of the layout's columns. The name of a related object
    /// is a text.
    var values: [StoredValue] = []
    /// The positions in `values` of the fields that their records do not have, if these are marked.
    var absentValues: Set<Int> = []
    /// The line on which each row begins.
    var lines: [Int] = []
    /// The text of each row's record, if the texts are kept.
    var records: [[UInt8]] = []
    /// The errors of the bad records, each with the number of rows of this chunk before it, and with the
    /// record's text if it is kept.
    var problems: [(rowsBefore: Int, error: RecordError, record: [UInt8]?)] = []
    /// The texts that their attributes change, by the position of the layout's column.
    var changes: [Int: ChangedTexts] = [:]
    /// The offset in the file after the last record, in bytes.
    var byteOffset = 0
    /// Whether the transaction ends with this chunk.
    var endsBatch = false

    /// The number of records.
    var count: Int { lines.count + problems.count }
}

/// A source of chunks.
protocol RowSource: AnyObject {
    /// Returns the next chunk, or nil after the last record. The chunk contains the errors of its records.
    func nextChunk() -> RowChunk?
}

/// A source that reads the records of a file and converts them to rows.
final class RowConverter: RowSource {
    private let reader: any RecordReader
    private let layout: RowLayout
    private let file: String
    private let batchSize: Int
    private let chunkSize: Int
    private let chunkBytes: Int
    private let maximumRecords: Int
    private let changePolicy: ChangePolicy
    private let marksAbsentFields: Bool
    private let keepsRecords: Bool
    private var skippedRecords: Int
    /// The style of the keys so far.
    private var keyStyle = TextStyle.any
    private var restOfBatch: Int
    private var recordCount = 0
    private var isAtEnd = false

    /// Creates a converter.
    ///
    /// - Parameters:
    ///   - batchSize: The number of records in one transaction. The chunk with the last of them has
    ///     `endsBatch`.
    ///   - changePolicy: The treatment of texts that their attributes change.
    ///   - maximumRecords: The number of records that the file may have. One more is a fatal error.
    ///   - marksAbsentFields: Whether fields that a record does not have are marked. A required one does not
    ///     make its row bad then.
    ///   - keepsRecords: Whether the texts of records are kept.
    ///   - skippedRecords: The number of records, good and bad, at the beginning of the file that are left
    ///     out.
    ///   - chunkSize: The largest number of records in a chunk. A thousand rows usually take some hundred
    ///     KiB.
    ///   - chunkBytes: The number of bytes of the file after which a chunk ends with fewer records.
    init(
        _ reader: any RecordReader, layout: RowLayout, file: String, batchSize: Int,
        changePolicy: ChangePolicy = .warn, maximumRecords: Int = .max, marksAbsentFields: Bool = false,
        keepsRecords: Bool = false, skippedRecords: Int = 0, chunkSize: Int = 1_000, chunkBytes: Int = 2 << 20
    ) {
        self.maximumRecords = maximumRecords
        self.changePolicy = changePolicy
        self.marksAbsentFields = marksAbsentFields
        self.keepsRecords = keepsRecords
        self.skippedRecords = skippedRecords
        self.reader = reader
        self.layout = layout
        self.file = file
        self.batchSize = batchSize
        self.chunkSize = chunkSize
        self.chunkBytes = chunkBytes
        restOfBatch = batchSize
    }

    func nextChunk() -> RowChunk? {
        guard !isAtEnd else { return nil }
        var chunk = RowChunk()
        while skippedRecords > 0 {
            skippedRecords -= 1
            do throws(RecordError) {
                if try !readRecord() { skippedRecords = 0 }
            } catch {
                guard error.isFatal else { continue }
                isAtEnd = true
                chunk.problems.append((0, error, nil))
                return chunk
            }
        }
        let allowed = recordCount < maximumRecords ? maximumRecords - recordCount : 1
        let limit = min(chunkSize, restOfBatch, allowed)
        chunk.values.reserveCapacity(limit * layout.columns.count)
        chunk.lines.reserveCapacity(limit)
        let start = reader.byteOffset
        while chunk.count < limit, reader.byteOffset - start < chunkBytes {
            do throws(RecordError) {
                guard try readRecord() else {
                    isAtEnd = true
                    break
                }
                append(to: &chunk)
            } catch {
                chunk.problems.append((chunk.lines.count, error, error.isFatal ? nil : recordText()))
                if error.isFatal {
                    isAtEnd = true
                    break
                }
            }
        }
        restOfBatch -= chunk.count
        // The last allowed records are committed even if the file has more, unless one transaction holds all.
        let endsEarly = batchSize < .max && recordCount == maximumRecords
        chunk.endsBatch = restOfBatch == 0 || endsEarly
        if chunk.endsBatch { restOfBatch = batchSize }
        chunk.byteOffset = reader.byteOffset
        return isAtEnd && chunk.count == 0 ? nil : chunk
    }

    /// Reads a record and returns false at the end of the file.
    ///
    /// Bad records count towards the maximum, so that an endless file ends the import.
    private func readRecord() throws(RecordError) -> Bool {
        let isThere: Bool
        do throws(RecordError) {
            isThere = try reader.next()
        } catch {
            if !error.isFatal { try count() }
            throw error
        }
        if isThere { try count() }
        return isThere
    }

    private func count() throws(RecordError) {
        recordCount += 1
        guard recordCount > maximumRecords else { return }
        throw RecordError(
            file: file, line: reader.line,
            reason: .limit("the file has more than \(maximumRecords) records"), isFatal: true)
    }

    private func append(to chunk: inout RowChunk) {
        let start = chunk.values.count
        var changed: [(position: Int, value: StoredValue)] = []
        var absent: [Int] = []
        for (position, column) in layout.columns.enumerated() {
            if marksAbsentFields, !column.isKey, !reader.hasField(column.field) {
                absent.append(chunk.values.count)
                chunk.values.append(.null)
                continue
            }
            var value: StoredValue?
            var isChanged = false
            let kind = reader.kind(ofField: column.field)
            reader.lendBytes(ofField: column.field, in: column.form) {
                (value, isChanged) = convert($0, kind, column)
            }
            guard let value, !value.isNull || !column.isRequired else {
                return reject(column, from: start, &chunk) {
                    value != nil
                        ? "the value is missing" : "“\($0)” is not a valid \(column.type?.rawValue ?? "text")"
                }
            }
            if isChanged {
                guard changePolicy == .warn, !column.isKey else {
                    let stored = FieldConversion.text(of: value, as: column.type ?? .string)
                    return reject(column, from: start, &chunk) {
                        "“\($0)” would become \(stored); to store it, pass --on-change accept"
                    }
                }
                changed.append((position, value))
            }
            chunk.values.append(value)
        }
        chunk.absentValues.formUnion(absent)
        for (position, value) in changed { note(value, position, in: &chunk) }
        chunk.lines.append(reader.line)
        if let record = recordText() { chunk.records.append(record) }
    }

    /// Returns the text of the current record, if it is kept.
    private func recordText() -> [UInt8]? {
        guard keepsRecords else { return nil }
        var text: [UInt8] = []
        reader.lendRecord { bytes in if let bytes { text = Array(bytes) } }
        return text
    }

    /// Returns the value of a field, and whether its attribute changes the text.
    private func convert(
        _ bytes: UnsafeRawBufferPointer?, _ kind: FieldKind, _ column: RowLayout.Column
    ) -> (value: StoredValue?, isChanged: Bool) {
        guard let type = column.type else { return (FieldConversion.name(bytes), false) }
        let value = FieldConversion.value(bytes, as: type)
        guard changePolicy != .accept, let bytes, let value, !value.isNull else { return (value, false) }
        if kind == .number || column.form?.isByValue == true {
            return (value, FieldConversion.changes(number: bytes, as: type))
        }
        return (value, column.isKey ? changesKey(bytes, type) : FieldConversion.changes(bytes, as: type))
    }

    /// Returns whether a key could be equal to that of another row whose text differs. The keys of a file
    /// have one style.
    private func changesKey(_ bytes: UnsafeRawBufferPointer, _ type: AttributeType) -> Bool {
        guard type != .string else { return false }
        guard let style = TextStyle(bytes, as: type)?.common(with: keyStyle) else { return true }
        keyStyle = style
        return false
    }

    private func note(_ value: StoredValue, _ position: Int, in chunk: inout RowChunk) {
        let column = layout.columns[position]
        guard chunk.changes[position] == nil else {
            chunk.changes[position]?.count += 1
            return
        }
        chunk.changes[position] = ChangedTexts(
            count: 1, line: reader.line, text: shownText(column),
            stored: FieldConversion.text(of: value, as: column.type ?? .string))
    }

    /// Removes the values of the current row, and adds its problem.
    ///
    /// - Parameter reason: Returns the reason for the text of the column.
    private func reject(
        _ column: RowLayout.Column, from start: Int, _ chunk: inout RowChunk, _ reason: (String) -> String
    ) {
        chunk.values.removeSubrange(start...)
        let error = RecordError(
            file: file, line: reader.line, column: column.field + 1, columnName: column.fieldName,
            reason: .value(reason(shownText(column))))
        chunk.problems.append((chunk.lines.count, error, recordText()))
    }

    private func shownText(_ column: RowLayout.Column) -> String {
        let text = reader.text(ofField: column.field) ?? ""
        return text.count > 60 ? text.prefix(60) + "…" : text
    }
}
