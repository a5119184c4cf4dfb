import RecordReading
import SectionedFetch
import ToolSupport

/// An import of a file's records into a store, in batches of one transaction each.
final class Importer {
    /// The options of an import.
    struct Options {
        /// Whether the first bad row ends the import.
        var stopsAtBadRow = false
        /// The number of bad rows that the import tolerates, or nil for any number.
        var maximumErrors: Int?
        /// The number of records in one transaction.
        var batchSize = 10_000
        /// The number of records that the file may have, or nil for any number.
        var maximumRows: Int?
        /// The treatment of texts that their attributes change.
        var changePolicy = ChangePolicy.warn
        /// Whether existing rows keep the values that the file does not have.
        var isPartial = false
        /// Whether a file is refused whose rows the store has from another import.
        var refusesAgain = false
        /// Whether a note says that rows were inserted without a key beside those that the store had.
        var notesInsertedRows = false
        /// Whether everything is rolled back at the end.
        var isDryRun = false
        /// The options as text, which the store records.
        var text = ""
        /// The position at which the import begins and which the store records, or nil if it records none.
        var start: ImportPosition?
        /// The position that the store records at the beginning, or nil.
        var recordedPosition: ImportPosition?
        /// The record of the import in the store, or nil for none.
        var history: History?
        /// The digest of the file, which is complete after its last record.
        var digest: ContentDigest?
        /// Whether the store gets the entity of the rows by the import.
        var makesEntity = false
    }

    var summary = ImportSummary()
    /// The examples of a dry run; nil for an import.
    var preview: ImportPreview?
    let target: TargetWriter
    let mapping: Mapping
    let file: String
    private let byteCount: Int
    let options: Options
    private let source: any RowSource
    private let problems: ProblemReport
    private let progress: (Progress) -> Void
    private let stopped: (ImportSummary) -> Void
    var relatedKeys: [RelatedKeyCache]
    /// The rows that records have found by their key; nil before the first batch, and after another program
    /// has written to the store.
    var repeatedKeys: RepeatedKeys?
    /// Whether the store's values of the key are known to be unique.
    var isKeyChecked = false
    /// The version of the store after the last batch, which changes with each commit of another program.
    var storeVersion: Int64?
    /// Whether nearly all rows of the last batch were new; nil before the first one.
    private var foundNewRows: Bool?
    /// Whether the store had rows of the entity before the first batch; nil before that.
    private(set) var hadRows: Bool?
    /// Whether indexes were dropped that must be created at the end of the import.
    private(set) var lacksIndexes = false
    /// The number of records, good and bad, that were read.
    var recordCount = 0
    /// The position that the store records.
    var recordedPosition: ImportPosition?
    /// The record of the import in the store, or nil for none.
    var history: History?
    /// The offset in the file after the last chunk, in bytes.
    private var byteOffset = 0

    /// Creates an importer.
    ///
    /// - Parameters:
    ///   - reader: The records. The caller must not use the reader afterwards.
    ///   - problems: The report to which each row that is skipped is added.
    ///   - progress: Called after each chunk, at most a thousand rows.
    ///   - stopped: Called with the counts if an error ends the import.
    init(
        target: TargetWriter, mapping: Mapping, reader: any RecordReader, layout: RowLayout,
        file: String, options: Options, problems: ProblemReport,
        progress: @escaping (Progress) -> Void, stopped: @escaping (ImportSummary) -> Void
    ) {
        self.target = target
        self.mapping = mapping
        self.file = file
        self.options = options
        self.problems = problems
        self.progress = progress
        self.stopped = stopped
        byteCount = reader.byteCount
        source = RowConverter(
            reader, layout: layout, file: file, batchSize: options.batchSize,
            changePolicy: options.changePolicy,
            maximumRecords: options.maximumRows ?? .max, marksAbsentFields: options.isPartial,
            keepsRecords: problems.rejects != nil, skippedRecords: Int(options.start?.records ?? 0))
        relatedKeys = mapping.relationships.map { _ in RelatedKeyCache() }
        if options.isDryRun { preview = ImportPreview() }
        recordedPosition = options.recordedPosition
        history = options.history
        if let start = options.start {
            recordCount = Int(start.records)
            summary = ImportSummary(start.counts)
        }
    }

    /// Imports all records.
    ///
    /// - Throws: `RecordError` for a bad row that ends the import, ``ToolFailure``, or `CancellationError`
    ///   after a signal. Complete batches stay committed. The current batch is rolled back; the first batch
    ///   includes the entities that it added to the store's model.
    func run() throws {
        Interruption.begin(endingAtSecond: true)
        let chunks = RowReadAhead(source)
        defer { chunks.cancel() }
        var isAtEnd = false
        while !isAtEnd {
            var before = (summary: summary, preview: preview)
            do {
                guard options.isDryRun else {
                    // Other programs can write while a pipe has no rows.
                    _ = chunks.isReady()
                    try target.write { writer in isAtEnd = try importBatch(from: chunks, writer: writer) }
                    continue
                }
                try target.tryOut { writer in
                    while !isAtEnd {
                        before = (summary, preview)
                        isAtEnd = try importBatch(from: chunks, writer: writer)
                    }
                }
            } catch {
                if let changed = storeChanged(error) { throw changed }
                // The batch is rolled back, but the rows that it skipped stay counted.
                let skipped = summary.skipped
                summary = before.summary
                summary.skipped = skipped
                preview?.takeBack(to: before.preview)
                // If this fails as well, the next program that opens the store creates the indexes.
                if lacksIndexes, summary.rows > 0, !options.isDryRun {
                    try? target.write(completeIndexes)
                }
                let undone = undoing(error)
                stopped(summary)
                // A signal that arrives during a lock wait is only noticed once the wait ends.
                if Interruption.signal != nil { throw CancellationError() }
                if let undone { throw undone }
                guard let error = error as? ObjectStorageError else { throw error }
                throw failure(error)
            }
        }
    }

    /// Imports all records in a transaction of the caller, which rolls it back after an error.
    func run(in writer: BatchWriter) throws {
        let chunks = RowReadAhead(source)
        defer { chunks.cancel() }
        do {
            while try !importBatch(from: chunks, writer: writer) {}
        } catch {
            throw undoing(error) ?? error
        }
    }

    /// Imports at most one batch and returns whether the file is at its end.
    private func importBatch(from chunks: RowReadAhead, writer: BatchWriter) throws -> Bool {
        var known: Tables?
        let before = summary
        try beginPart(writer)
        try forgetChangedKeys(writer)
        try prepareKey(writer)
        if mapping.key != nil, repeatedKeys == nil {
            repeatedKeys = RepeatedKeys(after: try writer.table(mapping.entity).greatestKey())
        }
        // The first batch may begin with an empty table, into which rows are faster without indexes.
        if foundNewRows == nil, !lacksIndexes {
            lacksIndexes = try writer.deferIndexes(ofEntityNamed: mapping.entity)
        }
        defer { noteNewRows(since: before) }
        while let chunk = chunks.next() {
            let tables =
                try known
                ?? Tables(
                    mapping, writer: writer, expectedRows: expectedRows(ofBatchWith: chunk),
                    expectsNewRows: options.isPartial ? false : foundNewRows)
            if known == nil { try recordRows(of: tables) }
            if hadRows == nil { hadRows = try !tables.main.isEmpty() }
            known = tables
            byteOffset = chunk.byteOffset
            recordCount += chunk.count
            var problems = chunk.problems[...]
            for row in chunk.lines.indices {
                while let problem = problems.first, problem.rowsBefore == row {
                    try insertGroup(of: chunk, to: tables)
                    try skip(problem.error, record: problem.record)
                    problems.removeFirst()
                }
                try writeOrGroup(row: row, of: chunk, to: tables)
            }
            try insertGroup(of: chunk, to: tables)
            for problem in problems { try skip(problem.error, record: problem.record) }
            for (position, changed) in chunk.changes { summary.add(changed, position) }
            progress(Progress(rows: summary.rows, byteOffset: chunk.byteOffset, byteCount: byteCount))
            if chunk.endsBatch || endsEarly(chunks) {
                try self.problems.flush()
                try recordPosition(writer)
                try endPart(writer, isComplete: false)
                return false
            }
        }
        if Interruption.signal != nil { throw CancellationError() }
        try problems.flush()
        // An earlier import that was killed may have left the store without them.
        try completeIndexes(writer)
        if let key = mapping.key { try writer.endKey(key, ofEntityNamed: mapping.entity) }
        try refuseAgain(writer)
        try endPart(writer, isComplete: true)
        try writer.setImportPosition(nil, insteadOf: recordedPosition)
        return true
    }

    /// Returns whether the batch ends before its last row, because a pipe has no more rows yet and other
    /// programs may wait to write.
    private func endsEarly(_ chunks: RowReadAhead) -> Bool {
        guard !options.isDryRun, options.batchSize != .max else { return false }
        return !chunks.isReady(within: Self.longestWaitInBatch)
    }

    private static let longestWaitInBatch = Duration.seconds(1)

    func completeIndexes(_ writer: BatchWriter) throws(ObjectStorageError) {
        try writer.completeIndexes()
        lacksIndexes = false
    }

    /// Notes whether nearly all rows of a batch were new, so that the next one is written accordingly.
    private func noteNewRows(since before: ImportSummary) {
        let rows = summary.rows - before.rows
        let new = summary.inserted - before.inserted
        if rows > 0 { foundNewRows = (rows - new) * Self.rowsForOneKnown < rows }
    }

    /// The number of rows for each known row above which rows are inserted in groups. A group with a known
    /// row is written twice.
    private static let rowsForOneKnown = 1_000

    /// Returns the estimated number of rows in a transaction, from its first rows and the rest of the file.
    private func expectedRows(ofBatchWith first: RowChunk) -> Int {
        let bytes = first.byteOffset - byteOffset
        guard bytes > 0, byteCount > byteOffset else { return first.count }
        let expected = Double(first.count) * Double(byteCount - byteOffset) / Double(bytes)
        return expected < Double(options.batchSize) ? Int(expected) : options.batchSize
    }

    /// Returns whether an error concerns only one row, so that the next row may be good.
    private static func isOfOneRow(_ error: ObjectStorageError) -> Bool {
        [.missingValue, .duplicateValue, .invalidValue].contains(error.code)
    }

    /// Writes a row, or skips it if it is bad.
    func writeOrSkip(row: Int, of chunk: RowChunk, to tables: Tables) throws {
        do throws(ObjectStorageError) {
            try write(row: row, of: chunk, to: tables)
        } catch {
            try skip(row: row, of: chunk, because: error)
        }
    }

    /// Skips a row if the error concerns only that row.
    ///
    /// - Throws: The error if it concerns more than the row, and every error that ends the import.
    func skip(row: Int, of chunk: RowChunk, because error: ObjectStorageError) throws {
        guard Self.isOfOneRow(error) else { throw error }
        try skip(
            RecordError(file: file, line: chunk.lines[row], reason: .value(error.message)),
            record: chunk.records.isEmpty ? nil : chunk.records[row])
    }

    private func write(row: Int, of chunk: RowChunk, to tables: Tables) throws(ObjectStorageError) {
        let elements = try elements(row: row, of: chunk, in: tables)
        tables.takeAttributes(of: chunk, at: row * tables.width)
        var newMembers = try takeRelationships(row: row, of: chunk, in: tables)
        guard !newMembers.isEmpty else { return try store(row: row, elements, of: chunk, in: tables) }
        let (counted, shown) = (summary, preview)
        do throws(ObjectStorageError) {
            for position in newMembers.indices { try make(position, of: &newMembers, in: tables) }
            try store(row: row, elements, of: chunk, in: tables)
        } catch {
            summary = counted
            preview = shown
            // Other errors end the batch, and its rollback removes the related objects.
            if Self.isOfOneRow(error) { try takeBack(newMembers, in: tables) }
            throw error
        }
        for newMember in newMembers {
            relatedKeys[newMember.relationship].insert(newMember.key, for: newMember.name)
        }
    }

    /// Writes the current row, which is a row of a chunk.
    private func store(
        row: Int, _ elements: [[ElementRow]?], of chunk: RowChunk, in tables: Tables
    ) throws(ObjectStorageError) {
        guard let keyColumn = tables.keyColumn else {
            let key = try tables.main.insert(tables.row)
            let stored = try storedElements(besides: elements, of: nil, in: tables)
            _ = try write(elements, besides: stored, of: key, in: tables)
            return noteInserted([row], of: chunk)
        }
        var old: [StoredValue]?
        if options.isPartial || preview?.needsUpdates == true {
            old = try tables.main.row(whereColumn: keyColumn, is: tables.row[keyColumn])?.values
        }
        if options.isPartial { try keepOtherValues(of: old, row: row, of: chunk, in: tables) }
        let known =
            elements.isEmpty
            ? nil : try tables.main.primaryKey(whereColumn: keyColumn, is: tables.row[keyColumn])
        let stored = try storedElements(besides: elements, of: known, in: tables)
        let (key, found) = try tables.main.upsert(tables.row, keyColumn: keyColumn)
        var outcome = found
        let changes = try write(elements, besides: stored, of: key, in: tables)
        let isRepeated = outcome != .inserted && repeatedKeys?.isRepeated(key) == true
        if outcome == .unchanged, !changes.allSatisfy(\.isEmpty) { outcome = .updated }
        switch outcome {
        case .inserted: noteInserted([row], of: chunk)
        case .updated:
            summary.updated += 1
            if isRepeated { summary.repeatedRows.add(line: chunk.lines[row]) }
            try noteUpdated(row, of: chunk, in: tables, from: old, changes)
        case .unchanged: summary.unchanged += 1
        }
    }

    /// Reports and counts a bad record.
    ///
    /// - Throws: The error if it ends the import, or ``ToolFailure`` if too many records are bad.
    private func skip(_ error: RecordError, record: [UInt8]?) throws {
        problems.noteInvalidColumn(of: error)
        if error.isFatal || options.stopsAtBadRow { throw error }
        try problems.add(error, record: record)
        summary.skipped += 1
        preview?.add(error)
        if let maximum = options.maximumErrors, summary.skipped > maximum {
            throw ToolFailure("Stopped: more than \(Quantity.count(maximum, "bad row")) (--max-errors).")
        }
    }
}
