import RecordReading
import SectionedFetch

/// Some rows that were read and converted, on their way to the store.
///
/// Chunks pass from the thread that reads to the one that writes, so that neither waits for the other row by
/// row.
struct RowChunk: Sendable {
    /// The values of one row after the other, in the order of the layout's columns. A name of another object
    /// is a text.
    var values: [StoredValue] = []
    /// The line on which each row begins.
    var lines: [Int] = []
    /// The records that are no rows, each with the number of rows of this chunk before it.
    var problems: [(rowsBefore: Int, error: RecordError)] = []
    /// The offset in the file behind the last record.
    var byteOffset = 0
    /// Whether the transaction ends with this chunk.
    var endsBatch = false

    /// The number of records.
    var count: Int { lines.count + problems.count }
}

/// Where chunks come from.
protocol RowSource: AnyObject {
    /// The next records; nil after the last. Problems with records are in the chunk.
    func nextChunk() -> RowChunk?
}

/// Reads the records of a file and converts them to rows.
final class RowConverter: RowSource {
    private let reader: any RecordReader
    private let layout: RowLayout
    private let file: String
    private let batchSize: Int
    private let chunkSize: Int
    private let chunkBytes: Int
    private let maximumRecords: Int
    private var restOfBatch: Int
    private var recordCount = 0
    private var isAtEnd = false

    /// - Parameters:
    ///   - batchSize: The records of a transaction; the chunk with the last of them says so.
    ///   - chunkSize: The most records of a chunk. A thousand rows are mostly some hundred KiB.
    ///   - chunkBytes: How much of the file ends a chunk with fewer.
    ///   - maximumRecords: The most records that a file may have. The one behind them is a fatal problem.
    init(
        _ reader: any RecordReader, layout: RowLayout, file: String, batchSize: Int,
        maximumRecords: Int = .max, chunkSize: Int = 1_000, chunkBytes: Int = 2 << 20
    ) {
        self.maximumRecords = maximumRecords
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
                chunk.problems.append((chunk.lines.count, error))
                if error.isFatal {
                    isAtEnd = true
                    break
                }
            }
        }
        restOfBatch -= chunk.count
        // The last records that are allowed are kept, whatever comes behind them, unless all belong together.
        let endsEarly = batchSize < .max && recordCount == maximumRecords
        chunk.endsBatch = restOfBatch == 0 || endsEarly
        if chunk.endsBatch { restOfBatch = batchSize }
        chunk.byteOffset = reader.byteOffset
        return isAtEnd && chunk.count == 0 ? nil : chunk
    }

    /// Reads a record; false at the end of the file. Bad ones count as well, so that no file is read for
    /// ever.
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
        for column in layout.columns {
            var value: StoredValue?
            reader.lendBytes(ofField: column.field) { bytes in
                value =
                    if let type = column.type {
                        FieldConversion.value(bytes, as: type)
                    } else {
                        FieldConversion.name(bytes)
                    }
            }
            guard let value, !value.isNull || !column.isRequired else {
                chunk.values.removeSubrange(start...)
                chunk.problems.append((chunk.lines.count, badValue(column, isMissing: value != nil)))
                return
            }
            chunk.values.append(value)
        }
        chunk.lines.append(reader.line)
    }

    private func badValue(_ column: RowLayout.Column, isMissing: Bool) -> RecordError {
        let text = reader.text(ofField: column.field) ?? ""
        let shown = text.count > 60 ? text.prefix(60) + "…" : text[...]
        return RecordError(
            file: file, line: reader.line, column: column.field + 1, columnName: column.fieldName,
            reason: .value(
                isMissing ? "there must be a value" : "“\(shown)” is no \(column.type?.rawValue ?? "text")"))
    }
}
