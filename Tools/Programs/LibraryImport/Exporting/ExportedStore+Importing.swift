import Foundation
import RecordReading
import SectionedFetch
import ToolSupport

/// The result of an import of an exported store.
struct ExportImportReport {
    /// The numbers of rows by file.
    var files: [(name: String, rows: Int)] = []
    /// The number of references to objects that do not exist, which were removed.
    var clearedReferences = 0

    /// The report as lines of text.
    func lines(path: String, store: String, _ elapsed: Duration) -> [String] {
        let rows = files.reduce(0) { $0 + $1.rows }
        var lines = [
            "The export \(path) is in \(store): \(Quantity.count(files.count, "file")) with \(Quantity.count(rows, "row")). \(Quantity.duration(elapsed))"
        ]
        var table = TextTable(alignments: [.left, .right])
        lines += table.lines(files.map { [$0.name, Quantity.count($0.rows, "row")] }).map { "    " + $0 }
        if clearedReferences > 0 {
            lines.append(
                "\(Quantity.count(clearedReferences, "reference")) to objects that the files do not have became nil."
            )
        }
        return lines
    }

    /// The report as JSON.
    func json(path: String, store: String) -> JSONValue {
        [
            "source": .string(path), "store": .string(store),
            "files": .array(files.map { ["name": .string($0.name), "rows": .count($0.rows)] }),
            "clearedReferences": .count(clearedReferences),
        ]
    }
}

extension ExportedStore {
    /// Makes a store with the contents of the export, or continues to fill one.
    ///
    /// - Parameters:
    ///   - new: The path of the store.
    ///   - restarts: Whether an unfinished store is deleted first.
    ///   - batchSize: The number of rows in one transaction.
    ///   - progress: Called after each transaction. It may throw to stop.
    /// - Throws: ``ToolFailure`` with the file and line; `ObjectStorageError`; `CancellationError` after a
    ///   signal. The store stays unfinished, and the same command continues.
    func importContents(
        to new: String, restarting restarts: Bool, batchSize: Int, busyTimeout: Double,
        note: (String) -> Void, progress: @escaping (Importer.Progress) throws -> Void
    ) throws -> ExportImportReport {
        let container = try target(new, restarting: restarts, busyTimeout: busyTimeout, note: note)
        guard let record = try container.moveRecord() else { return ExportImportReport() }
        let filler = ExportFiller(self, container, record, batchSize: batchSize, progress: progress)
        return try filler.run()
    }

    /// Opens the unfinished store, or makes a new one.
    private func target(
        _ new: String, restarting restarts: Bool, busyTimeout: Double, note: (String) -> Void
    ) throws -> PersistentContainer {
        guard !new.isEmpty else {
            throw ToolFailure("The path of the new store is empty. Pass the path of a file to make.")
        }
        let options = StoreOptions(busyTimeout: busyTimeout, migratesAutomatically: false)
        let url = PathArgument.url(new)
        let source = MoveTarget.fullPath(path)
        let survey = StoreOptions(busyTimeout: busyTimeout)
        if FileManager.default.fileExists(atPath: url.path),
            try DatabaseSurvey.kind(of: url, options: survey) != .empty
        {
            let found = try? PersistentContainer(url: url, options: options)
            guard let found, let record = try found.moveRecord() else {
                throw ToolFailure(
                    "“\(new)” exists. Nothing was changed. Pass the path of a new store, or delete “\(new)”.")
            }
            if !restarts {
                guard record.sourcePath == source, record.sourceState == state else {
                    throw ToolFailure(
                        "“\(new)” contains an unfinished move of “\(record.sourcePath)”, which is another export, or has changed since. Pass --restart to delete “\(new)” and begin again, or pass another path."
                    )
                }
                note("Continuing the import to “\(new)”.")
                return found
            }
            try MoveTarget(path: new, sourcePath: path, busyTimeout: busyTimeout).deleteFiles()
        }
        let record = MoveRecord(sourcePath: source, sourceState: state)
        return try PersistentContainer.open(url, model: model, options: options) { writer in
            try writer.setMoveRecord(record, insteadOf: nil)
            for entity in model.entities where entity.parentName == nil {
                _ = try writer.deferIndexes(ofEntityNamed: entity.name)
            }
        }.container
    }
}

/// A store that is being filled from the files of an export, in batches of one transaction each.
private final class ExportFiller {
    private let export: ExportedStore
    private let container: PersistentContainer
    private let batchSize: Int
    private let progress: (Importer.Progress) throws -> Void
    private var record: MoveRecord
    private var report = ExportImportReport()
    private var rowsBefore = 0
    private var bytesBefore = 0
    private let byteCount: Int

    private static let maximumByteCount = 16 << 20

    init(
        _ export: ExportedStore, _ container: PersistentContainer, _ record: MoveRecord, batchSize: Int,
        progress: @escaping (Importer.Progress) throws -> Void
    ) {
        self.export = export
        self.container = container
        self.record = record
        self.batchSize = batchSize
        self.progress = progress
        byteCount = export.manifest.files.reduce(0) { $0 + $1.bytes }
    }

    func run() throws -> ExportImportReport {
        try container.runMaintenance("PRAGMA foreign_keys = OFF")
        for (number, file) in export.manifest.files.enumerated() {
            if number >= record.completedTables {
                let rows = try fill(file)
                report.files.append((file.name, rows))
                try write { next in
                    next.completedTables += 1
                    next.key = nil
                }
            } else {
                report.files.append((file.name, file.rows))
            }
            rowsBefore += file.rows
            bytesBefore += file.bytes
        }
        try Mover.checkInterruption()
        var cleared = 0
        try write { _ in
        } rows: { writer in
            try writer.completeIndexes()
            for entity in export.model.entities {
                for relationship in entity.ownRelationships where !relationship.isToMany {
                    cleared += try writer.clearDanglingReferences(of: relationship, in: entity)
                }
            }
        }
        report.clearedReferences = cleared
        try checkLinks()
        try container.runMaintenance("PRAGMA foreign_keys = ON")
        try container.write { writer in try writer.setMoveRecord(nil, insteadOf: record) }
        return report
    }

    /// Checks that both objects of each pair exist, in files that were edited.
    private func checkLinks() throws {
        let context = container.newContext()
        for file in export.manifest.files where !export.editedFiles.isEmpty {
            guard let name = file.relationship, let entity = export.model.entity(named: file.entity),
                let relationship = entity.relationship(named: name)
            else { continue }
            try context.forEachStoredLink(of: relationship, in: entity) { link in
                guard link.isComplete else {
                    throw ToolFailure(
                        "“\(export.path)/\(file.name)”: the pair of owner \(link.owner) and member \(link.member) has an object that does not exist. Correct the file, and run the command again with --restart."
                    )
                }
                return true
            }
        }
    }

    private func write(
        _ change: (inout MoveRecord) -> Void, rows: (BatchWriter) throws -> Void = { _ in }
    ) throws {
        var next = record
        change(&next)
        try container.write { writer in
            try writer.setMoveRecord(next, insteadOf: record)
            try rows(writer)
        }
        record = next
    }

    /// Inserts the rows of a file that are not in the store yet.
    ///
    /// - Returns: The number of rows of the file.
    private func fill(_ file: ExportManifest.File) throws -> Int {
        guard let entity = export.model.entity(named: file.entity) else {
            throw ToolFailure(
                "“\(export.path)/\(ExportManifest.fileName)” names the entity “\(file.entity)”, which the model does not have. Export the store again."
            )
        }
        let relationship = file.relationship.flatMap(entity.relationship(named:))
        let columns = relationship == nil ? entity.exportedColumns : EntityDescription.exportedLinkColumns
        guard let (reader, positions) = try export.open(file, columns: columns.map(\.name)) else { return 0 }
        let row = ExportedRow(
            export: export, file: file, entity: relationship == nil ? entity : nil, columns: columns)
        var rows: [(line: Int, values: [StoredValue])] = []
        var size = 0
        var count = 0
        let done = Int(record.key ?? 0)
        func flush() throws {
            guard !rows.isEmpty else { return }
            try write {
                $0.key = Int64(count)
            } rows: { writer in
                try insert(rows, of: entity, relationship, file, writer)
            }
            (rows, size) = ([], 0)
            try progress(
                Importer.Progress(
                    rows: rowsBefore + count, byteOffset: bytesBefore + reader.byteOffset,
                    byteCount: byteCount))
            try Mover.checkInterruption()
        }
        while true {
            do throws(RecordError) {
                guard try reader.next() else { break }
            } catch {
                throw ToolFailure("\(error)")
            }
            count += 1
            guard count > done else { continue }
            let values = try row.values(reader, positions)
            rows.append((reader.line, values))
            size += values.reduce(0) { $0 + $1.size }
            if rows.count >= batchSize || size >= Self.maximumByteCount { try flush() }
        }
        try flush()
        guard export.editedFiles.contains(file.name) || count == file.rows else {
            throw ToolFailure(
                "“\(export.path)/\(file.name)” has \(Quantity.count(count, "row")), and \(file.rows) were exported. Another program changed it meanwhile; run the command again with --restart."
            )
        }
        return count
    }

    private func insert(
        _ rows: [(line: Int, values: [StoredValue])], of entity: EntityDescription,
        _ relationship: RelationshipDescription?, _ file: ExportManifest.File, _ writer: BatchWriter
    ) throws {
        func failure(_ line: Int, _ error: ObjectStorageError) -> any Error {
            guard [.duplicateValue, .constraintViolation].contains(error.code) else { return error }
            return ToolFailure(
                "\(export.path)/\(file.name):\(line): \(error.message) Correct the file, and run the command again with --restart and --edited."
            )
        }
        guard let relationship else {
            try writer.announceBulkWrite(toTableNamed: entity.tableName)
            let copier = try writer.rowCopier(of: entity)
            for (line, values) in rows {
                guard case .integer(let key)? = values.first else { continue }
                do throws(ObjectStorageError) {
                    try copier.insert(key: key, Array(values.dropFirst()))
                } catch {
                    throw failure(line, error)
                }
            }
            return
        }
        if let end = export.model.linkEnd(of: relationship, in: entity) {
            try writer.announceBulkWrite(toTableNamed: end.table.name)
        }
        for (line, values) in rows {
            guard case .integer(let owner) = values[0], case .integer(let member) = values[1] else {
                continue
            }
            do throws(ObjectStorageError) {
                try writer.copyLink(
                    of: relationship, in: entity, owner: owner, member: member,
                    positions: (values[2], values[3]))
            } catch {
                throw failure(line, error)
            }
        }
    }
}

/// The reading of the rows of one file.
private struct ExportedRow {
    let export: ExportedStore
    let file: ExportManifest.File
    /// The entity of the rows; nil for pairs.
    let entity: EntityDescription?
    let columns: [(name: String, kind: ExportedValue.Kind)]

    /// Returns the values of the current record.
    ///
    /// - Throws: ``ToolFailure`` with the file, line and column.
    func values(_ reader: any RecordReader, _ positions: [Int]) throws(ToolFailure) -> [StoredValue] {
        let isCSV = export.manifest.format.delimiter != nil
        var values: [StoredValue] = []
        values.reserveCapacity(columns.count)
        for (column, position) in zip(columns, positions) {
            let text = reader.text(ofField: position)
            let value = ExportedValue.value(text, column.kind, isCSV: isCSV, file: export.value)
            guard let value else {
                throw failure(
                    reader, column.name,
                    "“\((text ?? "").prefix(100))” is not \(Self.name(of: column.kind)) as exports write it, or names a file in “\(ExportManifest.valuesName)” that is missing or damaged"
                )
            }
            values.append(value)
        }
        let keys = entity == nil ? 2 : 1
        for position in 0..<keys where values[position].isNull {
            throw failure(reader, columns[position].name, "each row needs a key")
        }
        if export.editedFiles.contains(file.name) { try checkRules(values, reader) }
        return values
    }

    /// Checks the rules of the model, which hold for the rows of an export that was not edited.
    private func checkRules(_ values: [StoredValue], _ reader: any RecordReader) throws(ToolFailure) {
        guard let entity else { return }
        for (attribute, value) in zip(entity.storedAttributes, values.dropFirst()) {
            if value.isNull {
                guard attribute.isOptional || attribute.derivation != nil else {
                    throw failure(reader, attribute.name, "the attribute needs a value")
                }
            } else if let rule = attribute.rules.first(where: { !$0.holds(for: value, of: attribute.type) }) {
                throw failure(reader, attribute.name, "the value breaks the rule “\(rule)”")
            }
        }
        let references = values.dropFirst(1 + entity.storedAttributes.count)
        for (relationship, value) in zip(entity.toOneRelationships, references)
        where value.isNull && !relationship.isOptional {
            throw failure(reader, relationship.name, "the relationship needs the key of an object")
        }
    }

    private func failure(_ reader: any RecordReader, _ column: String, _ reason: String) -> ToolFailure {
        ToolFailure(
            "\(export.path)/\(file.name):\(reader.line): \(column): \(reason). Correct the file, and run the command again with --restart and --edited."
        )
    }

    private static func name(of kind: ExportedValue.Kind) -> String {
        switch kind {
        case .number: "a whole number"
        case .attribute(let type): "a value of type \(type.rawValue)"
        }
    }
}

extension StoredValue {
    /// The number of bytes of a text or blob.
    fileprivate var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        default: 8
        }
    }
}
