import RecordReading
import SectionedFetch
import ToolSupport

/// Brings the records of a file into a store, batch by batch.
final class Importer {
    /// How an import goes about it.
    struct Options {
        /// Whether the first bad row ends the import.
        var stopsAtBadRow = false
        /// The greatest number of bad rows before the import stops; nil for any number.
        var maximumErrors: Int?
        /// Records in a transaction.
        var batchSize = 10_000
        /// The greatest number of records before the import stops; nil for any number.
        var maximumRows: Int?
    }

    private(set) var summary = ImportSummary()
    let container: PersistentContainer
    let mapping: Mapping
    private let file: String
    private let byteCount: Int
    private let options: Options
    private let source: any RowSource
    private let report: (RecordError) -> Void
    private let progress: (Progress) -> Void
    private let stopped: (ImportSummary, Duration) throws -> Void
    private var relatedKeys: [RelatedKeyCache]
    /// The offset in the file behind the last chunk.
    private var byteOffset = 0

    /// - Parameters:
    ///   - reader: Is the importer's alone from now on.
    ///   - report: Hears of each row that is skipped.
    ///   - progress: Hears of each thousand rows.
    ///   - stopped: Hears what was done before the import stopped.
    init(
        container: PersistentContainer, mapping: Mapping, reader: any RecordReader, layout: RowLayout,
        file: String, options: Options, report: @escaping (RecordError) -> Void,
        progress: @escaping (Progress) -> Void, stopped: @escaping (ImportSummary, Duration) throws -> Void
    ) {
        self.container = container
        self.mapping = mapping
        self.file = file
        self.options = options
        self.report = report
        self.progress = progress
        self.stopped = stopped
        byteCount = reader.byteCount
        source = Self.source(reader, layout: layout, file: file, options: options)
        relatedKeys = mapping.relationships.map { _ in RelatedKeyCache() }
    }

    /// The reader's type is known inside, so that its fields are read without looking it up for each.
    private static func source(
        _ reader: some RecordReader, layout: RowLayout, file: String, options: Options
    ) -> any RowSource {
        RowConverter(
            reader, layout: layout, file: file, batchSize: options.batchSize,
            maximumRecords: options.maximumRows ?? .max)
    }

    /// Imports all records.
    ///
    /// - Throws: `RecordError` for a bad row when that is fatal, ``ToolFailure``, or `ObjectStorageError`. Batches that were
    ///   complete stay; the one in hand is undone.
    func run() throws {
        let start = ContinuousClock.now
        let chunks = RowReadAhead(source)
        defer { chunks.cancel() }
        var isAtEnd = false
        while !isAtEnd {
            let before = summary
            do {
                try container.write { writer in isAtEnd = try importBatch(from: chunks, writer: writer) }
            } catch {
                // What the batch did is undone; what it skipped stays counted.
                let skipped = summary.skipped
                summary = before
                summary.skipped = skipped
                try stopped(summary, ContinuousClock.now - start)
                guard let error = error as? ObjectStorageError else { throw error }
                throw failure(error)
            }
        }
    }

    /// Imports up to a batch; true at the end of the file.
    private func importBatch(from chunks: RowReadAhead, writer: BatchWriter) throws -> Bool {
        var known: Tables?
        while let chunk = chunks.next() {
            let tables =
                try known ?? Tables(mapping, writer: writer, expectedRows: expectedRows(ofBatchWith: chunk))
            known = tables
            byteOffset = chunk.byteOffset
            var problems = chunk.problems[...]
            for (row, line) in chunk.lines.enumerated() {
                while let problem = problems.first, problem.rowsBefore == row {
                    try skip(problem.error)
                    problems.removeFirst()
                }
                do throws(ObjectStorageError) {
                    try write(row: row, of: chunk, to: tables)
                } catch {
                    guard Self.isOfOneRow(error) else { throw error }
                    try skip(RecordError(file: file, line: line, reason: .value(error.message)))
                }
            }
            for problem in problems { try skip(problem.error) }
            progress(Progress(rows: summary.rows, byteOffset: chunk.byteOffset, byteCount: byteCount))
            if chunk.endsBatch { return false }
        }
        return true
    }

    /// About how many rows a transaction will have, from its first rows and the rest of the file.
    private func expectedRows(ofBatchWith first: RowChunk) -> Int {
        let bytes = first.byteOffset - byteOffset
        guard bytes > 0, byteCount > byteOffset else { return first.count }
        let expected = Double(first.count) * Double(byteCount - byteOffset) / Double(bytes)
        return expected < Double(options.batchSize) ? Int(expected) : options.batchSize
    }

    /// Whether only the row is bad, and the next may be good.
    private static func isOfOneRow(_ error: ObjectStorageError) -> Bool {
        [.missingValue, .duplicateValue, .invalidValue].contains(error.code)
    }

    private func write(row: Int, of chunk: RowChunk, to tables: Tables) throws(ObjectStorageError) {
        let first = row * tables.width
        for (column, place) in tables.places.enumerated() {
            guard let place else { continue }
            let value = chunk.values[first + place]
            let relationship = place - mapping.attributes.count
            tables.row[column] =
                relationship < 0
                ? value
                : try relatedKey(
                    value, relationship, table: tables.related[relationship],
                    attribute: tables.relatedAttributes[relationship])
        }
        guard let keyColumn = tables.keyColumn else {
            _ = try tables.main.insert(tables.row)
            summary.inserted += 1
            return
        }
        switch try tables.main.upsert(tables.row, keyColumn: keyColumn).outcome {
        case .inserted: summary.inserted += 1
        case .updated: summary.updated += 1
        case .unchanged: summary.unchanged += 1
        }
    }

    private func skip(_ error: RecordError) throws {
        if error.isFatal || options.stopsAtBadRow { throw error }
        report(error)
        summary.skipped += 1
        if let maximum = options.maximumErrors, summary.skipped > maximum {
            throw ToolFailure("Stopped, because more than \(Quantity.count(maximum, "row")) are bad.")
        }
    }

    /// The key of the object with a name, which is made if there is none. No name leads nowhere.
    private func relatedKey(
        _ name: StoredValue, _ position: Int, table: BatchTable, attribute: Int
    ) throws(ObjectStorageError) -> StoredValue {
        guard case .text(let text) = name else { return .null }
        if let key = relatedKeys[position].key(for: text) { return .integer(key) }
        let key: Int64
        if let found = try table.primaryKey(whereColumn: attribute, is: name) {
            key = found
        } else {
            var values = table.entity.storedAttributes.map(\.defaultValue)
            values += [StoredValue](repeating: .null, count: table.columns.count - values.count)
            values[attribute] = name
            key = try table.insert(values)
            summary.createdRelated += 1
        }
        relatedKeys[position].insert(key, for: text)
        return .integer(key)
    }
}

/// The tables of one transaction, and where each of their values comes from.
private final class Tables {
    let main: BatchTable
    let related: [BatchTable]
    /// For each of these the column by which its objects are found.
    let relatedAttributes: [Int]
    /// For each column of the table, the position of its value in a row of a chunk; nil for those that have none.
    let places: [Int?]
    let keyColumn: Int?
    /// The number of values in a row of a chunk.
    let width: Int
    /// The row in hand: what no column of the file gives has its default.
    var row: [StoredValue]

    init(_ mapping: Mapping, writer: BatchWriter, expectedRows: Int) throws {
        let main = try writer.table(mapping.entity, expectedRows: expectedRows)
        self.main = main
        related = try mapping.relationships.map { try writer.table($0.entity) }
        relatedAttributes = try zip(mapping.relationships, related).map { relationship, table in
            guard let column = table.columns.firstIndex(of: relationship.attribute) else {
                throw ToolFailure("“\(relationship.entity)” has no attribute “\(relationship.attribute)”.")
            }
            return column
        }
        let names = mapping.attributes.map(\.name) + mapping.relationships.map(\.name)
        places = main.columns.map { names.firstIndex(of: $0) }
        keyColumn = mapping.key.flatMap { main.columns.firstIndex(of: $0) }
        width = names.count
        row = main.entity.storedAttributes.map(\.defaultValue)
        row += [StoredValue](repeating: .null, count: main.columns.count - row.count)
    }
}
