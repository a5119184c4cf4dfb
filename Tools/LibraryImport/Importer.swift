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

    private(set) var summary = Summary()
    private let container: PersistentContainer
    private let mapping: Mapping
    private let options: Options
    private let report: (RecordError) -> Void
    private let progress: (any RecordReader, Summary) -> Void
    private var relatedKeys: [RelatedKeyCache]

    /// - Parameters:
    ///   - report: Hears of each bad row.
    ///   - progress: Hears of each batch.
    init(
        container: PersistentContainer, mapping: Mapping, options: Options,
        report: @escaping (RecordError) -> Void,
        progress: @escaping (any RecordReader, Summary) -> Void
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
        let columns = try mapping.columns(in: reader.fieldNames)
        var isAtEnd = false
        while !isAtEnd {
            let before = summary
            do {
                try container.write { writer in
                    isAtEnd = try importBatch(reader, file: file, columns: columns, writer: writer)
                }
            } catch {
                // What the batch did is undone; what it skipped stays counted.
                let skipped = summary.skipped
                summary = before
                summary.skipped = skipped
                throw error
            }
            progress(reader, summary)
        }
    }

    /// Imports up to a batch; true at the end of the file.
    private func importBatch(
        _ reader: any RecordReader, file: String, columns: (attributes: [Int], relationships: [Int]),
        writer: BatchWriter
    ) throws -> Bool {
        let table = try writer.table(mapping.entity)
        let related = try mapping.relationships.map { try writer.table($0.entity) }
        let keyColumn = mapping.key.flatMap { key in mapping.attributes.firstIndex { $0.name == key } }
        let types = mapping.attributes.map(\.type)
        var values = [StoredValue](repeating: .null, count: table.columns.count)
        var count = 0
        while options.batchSize.map({ count < $0 }) ?? true {
            do {
                guard try reader.next() else { return true }
                for (position, column) in columns.attributes.enumerated() {
                    guard
                        let value = reader.withBytes(
                            ofField: column, { FieldConversion.value($0, as: types[position]) })
                    else { throw badValue(reader, file, position, column) }
                    values[position] = value
                }
                for (position, column) in columns.relationships.enumerated() {
                    values[types.count + position] = try relatedKey(
                        reader.text(ofField: column), position, table: related[position])
                }
                try write(values, keyColumn: keyColumn, to: table)
            } catch let error as RecordError {
                try skip(error)
            } catch let error as ObjectStorageError
                where [.missingValue, .duplicateValue, .invalidValue].contains(error.code)
            {
                try skip(RecordError(file: file, line: reader.line, reason: .value(error.message)))
            }
            count += 1
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

    private func badValue(_ reader: any RecordReader, _ file: String, _ position: Int, _ column: Int)
        -> RecordError
    {
        let attribute = mapping.attributes[position]
        let text = reader.text(ofField: column) ?? ""
        let shown = text.count > 60 ? text.prefix(60) + "…" : text[...]
        return RecordError(
            file: file, line: reader.line, column: column + 1, columnName: attribute.column,
            reason: .value("“\(shown)” is no \(attribute.type.rawValue)"))
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
