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

    var summary = ImportSummary()
    let target: TargetWriter
    let mapping: Mapping
    private let file: String
    private let byteCount: Int
    private let options: Options
    private let source: any RowSource
    private let report: (RecordError) -> Void
    private let progress: (Progress) -> Void
    private let stopped: (ImportSummary, Duration) -> Void
    private var relatedKeys: [RelatedKeyCache]
    /// The offset in the file behind the last chunk.
    private var byteOffset = 0

    /// - Parameters:
    ///   - reader: Is the importer's alone from now on.
    ///   - report: Hears of each row that is skipped.
    ///   - progress: Hears of each thousand rows.
    ///   - stopped: Hears what was done before the import stopped.
    init(
        target: TargetWriter, mapping: Mapping, reader: any RecordReader, layout: RowLayout,
        file: String, options: Options, report: @escaping (RecordError) -> Void,
        progress: @escaping (Progress) -> Void, stopped: @escaping (ImportSummary, Duration) -> Void
    ) {
        self.target = target
        self.mapping = mapping
        self.file = file
        self.options = options
        self.report = report
        self.progress = progress
        self.stopped = stopped
        byteCount = reader.byteCount
        source = RowConverter(
            reader, layout: layout, file: file, batchSize: options.batchSize,
            maximumRecords: options.maximumRows ?? .max)
        relatedKeys = mapping.relationships.map { _ in RelatedKeyCache() }
    }

    /// Imports all records.
    ///
    /// - Throws: `RecordError` for a bad row when that is fatal, ``ToolFailure``, or `CancellationError` when
    ///   a signal came. Batches that were complete stay; the one in hand is undone, and what the first one
    ///   made of the model with it.
    func run() throws {
        Interruption.begin(endingAtSecond: true)
        let start = ContinuousClock.now
        let chunks = RowReadAhead(source)
        defer { chunks.cancel() }
        var isAtEnd = false
        while !isAtEnd {
            let before = summary
            do {
                try target.write { writer in isAtEnd = try importBatch(from: chunks, writer: writer) }
            } catch {
                // What the batch did is undone; what it skipped stays counted.
                let skipped = summary.skipped
                summary = before
                summary.skipped = skipped
                stopped(summary, ContinuousClock.now - start)
                // Who waits for a lock does not hear of a signal before that is had, or not.
                if Interruption.signal != nil { throw CancellationError() }
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
            for row in chunk.lines.indices {
                while let problem = problems.first, problem.rowsBefore == row {
                    try insertGroup(of: chunk, to: tables)
                    try skip(problem.error)
                    problems.removeFirst()
                }
                try writeOrGroup(row: row, of: chunk, to: tables)
            }
            try insertGroup(of: chunk, to: tables)
            for problem in problems { try skip(problem.error) }
            progress(Progress(rows: summary.rows, byteOffset: chunk.byteOffset, byteCount: byteCount))
            if chunk.endsBatch { return false }
        }
        if Interruption.signal != nil { throw CancellationError() }
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

    /// Writes a row, or skips it if it is bad.
    func writeOrSkip(row: Int, of chunk: RowChunk, to tables: Tables) throws {
        do throws(ObjectStorageError) {
            try write(row: row, of: chunk, to: tables)
        } catch {
            try skip(row: row, of: chunk, because: error)
        }
    }

    /// Skips a row if only that is bad.
    ///
    /// - Throws: The error if it is of more than the row, and what ends the import.
    func skip(row: Int, of chunk: RowChunk, because error: ObjectStorageError) throws {
        guard Self.isOfOneRow(error) else { throw error }
        try skip(RecordError(file: file, line: chunk.lines[row], reason: .value(error.message)))
    }

    private func write(row: Int, of chunk: RowChunk, to tables: Tables) throws(ObjectStorageError) {
        let first = row * tables.width
        var newMembers: [Newcomer] = []
        tables.takeAttributes(of: chunk, at: first)
        for (column, place) in tables.relationshipPlaces {
            if case .text(let name) = chunk.values[first + place] {
                let relationship = place - mapping.attributes.count
                let key = try knownKey(of: name, relationship, in: tables)
                tables.row[column] = key.map { .integer($0) } ?? .null
                if key == nil {
                    newMembers.append(Newcomer(column: column, relationship: relationship, name: name))
                }
            } else {
                // No name leads nowhere.
                tables.row[column] = .null
            }
        }
        guard !newMembers.isEmpty else { return try store(tables) }
        let counted = summary
        do throws(ObjectStorageError) {
            for place in newMembers.indices { try make(place, of: &newMembers, in: tables) }
            try store(tables)
        } catch {
            summary = counted
            // Other errors end the batch, and undo it with all that it made.
            if Self.isOfOneRow(error) { try takeBack(newMembers, in: tables) }
            throw error
        }
        for newMember in newMembers {
            relatedKeys[newMember.relationship].insert(newMember.key, for: newMember.name)
        }
    }

    /// Writes the row in hand.
    private func store(_ tables: Tables) throws(ObjectStorageError) {
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

    func skip(_ error: RecordError) throws {
        if error.isFatal || options.stopsAtBadRow { throw error }
        report(error)
        summary.skipped += 1
        if let maximum = options.maximumErrors, summary.skipped > maximum {
            throw ToolFailure("Stopped, because more than \(Quantity.count(maximum, "row")) are bad.")
        }
    }

    /// The key of the related object with a name; nil if there is none.
    private func knownKey(
        of name: String, _ relationship: Int, in tables: Tables
    ) throws(ObjectStorageError) -> Int64? {
        if let key = relatedKeys[relationship].key(for: name) { return key }
        let found = try tables.related[relationship].primaryKey(
            whereColumn: tables.relatedAttributes[relationship], is: .text(name))
        if let found { relatedKeys[relationship].insert(found, for: name) }
        return found
    }

    /// Makes a related object, unless the same row has made it for another relationship, and has the row lead
    /// to it.
    private func make(
        _ place: Int, of newMembers: inout [Newcomer], in tables: Tables
    ) throws(ObjectStorageError) {
        let newMember = newMembers[place]
        let table = tables.related[newMember.relationship]
        let attribute = tables.relatedAttributes[newMember.relationship]
        let mayBeMade = newMembers[..<place].contains { $0.name == newMember.name }
        let made = mayBeMade ? try table.primaryKey(whereColumn: attribute, is: .text(newMember.name)) : nil
        if let made {
            newMembers[place].key = made
        } else {
            var values = table.entity.storedAttributes.map(\.defaultValue)
            values += [StoredValue](repeating: .null, count: table.columns.count - values.count)
            values[attribute] = .text(newMember.name)
            newMembers[place].key = try table.insert(values)
            newMembers[place].isMade = true
            summary.createdRelated += 1
        }
        tables.row[newMember.column] = .integer(newMembers[place].key)
    }

    /// Deletes what a row made that then turned out to be bad: it must not stay without the row.
    private func takeBack(_ newMembers: [Newcomer], in tables: Tables) throws(ObjectStorageError) {
        for newMember in newMembers where newMember.isMade {
            try tables.related[newMember.relationship].undoInsertion(of: newMember.key)
        }
    }
}
