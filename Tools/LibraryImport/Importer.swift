import SectionedFetch
import RecordReading

/// Brings the records of a file into a store, batch by batch.
final class Importer {
    /// What is done about a bad row.
    enum OnError { case skip, stop }

    /// What an import did.
    struct Summary: Equatable {
        var inserted = 0
        var updated = 0
        var unchanged = 0
        var skipped = 0
        var createdRelated = 0
        var rows: Int { inserted + updated + unchanged }
    }

    /// How an import goes about it.
    struct Options {
        var onError = OnError.skip
        /// The greatest number of bad rows before the import stops; nil for any number.
        var maximumErrors: Int?
        /// Rows in a transaction; nil for all in one.
        var batchSize: Int? = 10_000
    }

    /// How far a file was read.
    struct Position {
        /// The offset behind what was imported.
        var byteOffset: Int
        /// The size of the file.
        var byteCount: Int
    }

    private(set) var summary = Summary()
    private let container: PersistentContainer
    private let mapping: Mapping
    private let options: Options
    private let report: (RecordError) -> Void
    private let progress: (Position, Summary) -> Void
    private var relatedKeys: [RelatedKeyCache]

    /// - Parameters:
    ///   - report: Hears of each bad row.
    ///   - progress: Hears of each few hundred rows.
    init(
        container: PersistentContainer, mapping: Mapping, options: Options,
        report: @escaping (RecordError) -> Void,
        progress: @escaping (Position, Summary) -> Void
    ) {
        self.container = container
        self.mapping = mapping
        self.options = options
        self.report = report
        self.progress = progress
        relatedKeys = mapping.relationships.map { _ in RelatedKeyCache() }
    }

    /// Imports all records.
    ///
    /// - Throws: ``RecordError`` for a bad row when that is fatal, ``ImportError``, or ``ObjectStorageError``. Batches that were
    ///   complete stay; the one in hand is undone.
    func run(_ reader: any RecordReader, file: String) throws {
        let pipeline = try RowPipeline(reader, file: file, mapping: mapping)
        defer { pipeline.cancel() }
        var isAtEnd = false
        while !isAtEnd {
            let before = summary
            do {
                try container.write { writer in
                    isAtEnd = try importBatch(from: pipeline, file: file, writer: writer)
                }
            } catch {
                // What the batch did is undone; what it skipped stays counted.
                let skipped = summary.skipped
                summary = before
                summary.skipped = skipped
                throw error
            }
        }
    }

    /// Imports up to a batch; true at the end of the file.
    private func importBatch(from pipeline: RowPipeline, file: String, writer: BatchWriter) throws -> Bool {
        let table = try writer.table(mapping.entity)
        let related = try mapping.relationships.map { try writer.table($0.entity) }
        let keyColumn = mapping.key.flatMap { key in mapping.attributes.firstIndex { $0.name == key } }
        var count = 0
        while options.batchSize.map({ count < $0 }) ?? true {
            guard let piece = pipeline.next() else { return true }
            for item in piece.items {
                switch item {
                case .bad(let error): try skip(error)
                case .row(var values, let names, let line):
                    do {
                        for (position, name) in names.enumerated() {
                            values.append(try relatedKey(name, position, table: related[position]))
                        }
                        try write(values, keyColumn: keyColumn, to: table)
                    } catch let error as ObjectStorageError
                        where [.missingValue, .duplicateValue, .invalidValue].contains(error.code)
                    {
                        try skip(RecordError(file: file, line: line, reason: .value(error.message)))
                    }
                }
            }
            count += piece.items.count
            progress(Position(byteOffset: piece.byteOffset, byteCount: pipeline.byteCount), summary)
        }
        return false
    }

    private func write(_ values: [StoredValue], keyColumn: Int?, to table: BatchTable) throws {
        guard let keyColumn else {
            _ = try table.insert(values)
            summary.inserted += 1
            return
        }
        switch try table.upsert(values, keyColumn: keyColumn).outcome {
        case .inserted: summary.inserted += 1
        case .updated: summary.updated += 1
        case .unchanged: summary.unchanged += 1
        }
    }

    private func skip(_ error: RecordError) throws {
        report(error)
        summary.skipped += 1
        if error.isFatal || options.onError == .stop { throw error }
        if let maximum = options.maximumErrors, summary.skipped > maximum {
            throw ImportError("More than \(maximum) bad rows; the last: \(error)")
        }
    }

    /// The key of the object with a name, which is made if there is none. No name leads nowhere.
    private func relatedKey(_ name: String?, _ position: Int, table: BatchTable) throws -> StoredValue {
        guard let name, !name.isEmpty else { return .null }
        if let key = relatedKeys[position].key(for: name) { return .integer(key) }
        let attribute = table.columns.firstIndex(of: mapping.relationships[position].attribute) ?? 0
        let key: Int64
        if let found = try table.primaryKey(whereColumn: attribute, is: .text(name)) {
            key = found
        } else {
            var values = [StoredValue](repeating: .null, count: table.columns.count)
            values[attribute] = .text(name)
            key = try table.insert(values)
            summary.createdRelated += 1
        }
        relatedKeys[position].insert(key, for: name)
        return .integer(key)
    }
}

/// The keys of the objects that were looked up last, so that memory does not grow with the file.
struct RelatedKeyCache {
    private static let capacity = 50_000
    private var recent: [String: Int64] = [:]
    private var older: [String: Int64] = [:]

    /// The key for a name, if it was noted not long ago.
    mutating func key(for name: String) -> Int64? {
        if let key = recent[name] { return key }
        guard let key = older[name] else { return nil }
        insert(key, for: name)
        return key
    }

    /// Notes a key. When the newer half is full it becomes the older, and what was older is forgotten.
    mutating func insert(_ key: Int64, for name: String) {
        if recent.count >= Self.capacity {
            older = recent
            recent = [:]
        }
        recent[name] = key
    }
}
