import RecordReading
import SectionedFetch
import ToolSupport

/// A store that is being filled from the files of an export, in batches of one transaction each.
final class ExportFiller {
    private let export: ExportedStore
    private let path: String
    private let target: UnfinishedStore
    private let batchSize: Int
    private let progress: (Importer.Progress) throws -> Void
    private var report = ExportImportReport()
    private var rowsBefore = 0
    private var bytesBefore = 0
    private let byteCount: Int

    /// Creates the description of a store that is being filled.
    ///
    /// - Parameter path: The path of the store, as the command line has it.
    init(
        _ export: ExportedStore, path: String, _ container: PersistentContainer, _ record: MoveRecord,
        batchSize: Int, progress: @escaping (Importer.Progress) throws -> Void
    ) {
        self.export = export
        self.path = path
        target = UnfinishedStore(container, record)
        self.batchSize = batchSize
        self.progress = progress
        byteCount = export.manifest.files.reduce(0) { $0 + $1.bytes }
    }

    func run() throws -> ExportImportReport {
        try target.begin()
        for (number, file) in export.manifest.files.enumerated() {
            if number >= target.record.completedTables {
                let rows = try fill(file)
                report.files.append((file.name, rows))
                try target.write { next in
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
        report.clearedReferences = try target.complete()
        try checkLinks()
        try target.finish()
        return report
    }

    /// Checks that both objects of each pair exist, in files that were edited.
    private func checkLinks() throws {
        let context = target.container.newContext()
        for file in export.manifest.files where !export.editedFiles.isEmpty {
            guard let name = file.relationship, let entity = export.model.entity(named: file.entity),
                let relationship = entity.relationship(named: name)
            else { continue }
            try context.forEachStoredLink(of: relationship, in: entity) { link in
                guard link.isComplete else {
                    throw ToolFailure(
                        "“\(export.path)/\(file.name)”: the pair of owner \(link.owner) and member \(link.member) has an object that does not exist. Correct the file, and run \(export.commandAfterEdits(into: path))."
                    )
                }
                return true
            }
        }
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
            export: export, storePath: path, file: file, entity: relationship == nil ? entity : nil,
            columns: columns)
        var rows: [(line: Int, values: [StoredValue])] = []
        var size = 0
        var count = 0
        let done = Int(target.record.key ?? 0)
        func flush() throws {
            guard !rows.isEmpty else { return }
            try target.write {
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
            if rows.count >= batchSize || size >= UnfinishedStore.maximumByteCount { try flush() }
        }
        try flush()
        guard export.editedFiles.contains(file.name) || count == file.rows else {
            throw ToolFailure(
                "“\(export.path)/\(file.name)” has \(Quantity.count(count, "row")), but \(file.rows) were exported. Another program changed it during the import; run the command again with --restart."
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
                "\(export.path)/\(file.name):\(line): \(error.message) Correct the file, and run \(export.commandAfterEdits(into: path))."
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
