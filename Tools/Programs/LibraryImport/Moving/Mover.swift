import Foundation
import SectionedFetch
import ToolSupport

/// The move of a store's rows into a new store, in batches of one transaction each.
///
/// Each transaction contains the position after its rows, so a move that was interrupted continues there.
/// Objects keep their keys; therefore relationships can be written with the objects, and no table of keys is
/// needed.
final class Mover {
    private let source: MoveSource
    private let plan: MovePlan
    private let target: PersistentContainer
    private let batchSize: Int
    private let progress: (Int) -> Void
    private var record: MoveRecord
    /// The number of rows and pairs that this process wrote.
    private(set) var numberOfRows = 0

    /// The largest number of bytes in a batch, unless one row has more.
    private static let maximumByteCount = 16 << 20

    /// Creates a mover.
    ///
    /// - Parameters:
    ///   - target: The new store, with the model of the plan.
    ///   - record: The present state of the move.
    ///   - batchSize: The largest number of rows in one transaction.
    ///   - progress: Called with the number of rows and pairs after each batch.
    init(
        _ source: MoveSource, _ plan: MovePlan, to target: PersistentContainer, record: MoveRecord,
        batchSize: Int, progress: @escaping (Int) -> Void
    ) {
        self.source = source
        self.plan = plan
        self.target = target
        self.record = record
        self.batchSize = batchSize
        self.progress = progress
    }

    /// Moves the rows that are not moved yet.
    ///
    /// - Throws: `ObjectStorageError`; `CancellationError` after a signal. Complete batches stay.
    func run() throws {
        guard record.completedTables <= plan.tables.count else { return }
        // Rows are written in an order in which they may refer to later ones.
        try target.runMaintenance("PRAGMA foreign_keys = OFF")
        for table in plan.tables.dropFirst(record.completedTables) {
            switch table {
            case .objects(let entity): try moveObjects(of: entity)
            case .links(let relationship, let entity): try moveLinks(of: relationship, in: entity)
            }
            try write { next in
                next.completedTables += 1
                (next.key, next.otherKey) = (nil, nil)
            }
        }
        try Self.checkInterruption()
        try write { _ in
        } rows: { writer in
            try writer.completeIndexes()
            for entity in plan.model.entities {
                for relationship in entity.ownRelationships where !relationship.isToMany {
                    _ = try writer.clearDanglingReferences(of: relationship, in: entity)
                }
            }
        }
        try target.runMaintenance("PRAGMA foreign_keys = ON")
    }

    /// Removes the state of the move from the store, which is complete.
    func finish() throws {
        try target.write { writer in try writer.setMoveRecord(nil, insteadOf: record) }
    }

    /// Throws `CancellationError` after a signal.
    static func checkInterruption() throws {
        if Interruption.signal != nil { throw CancellationError() }
    }

    /// Writes rows, and the state after them, in one transaction.
    private func write(
        _ change: (inout MoveRecord) -> Void, rows: (BatchWriter) throws -> Void = { _ in }
    ) throws {
        var next = record
        change(&next)
        try target.write { writer in
            // The state comes first: rows of another process would break the uniqueness of keys.
            try writer.setMoveRecord(next, insteadOf: record)
            try rows(writer)
        }
        record = next
    }

    private func moveObjects(of root: EntityDescription) throws {
        guard let sourceRoot = source.container.model.entity(named: root.name) else { return }
        var rows: [StoredRow] = []
        var byteCount = 0
        func flush() throws {
            guard let last = rows.last else { return }
            try write {
                $0.key = last.key
            } rows: { writer in
                try writer.announceBulkWrite(toTableNamed: root.tableName)
                var copiers: [String: RowCopier] = [:]
                for row in rows {
                    guard let entity = plan.model.entity(named: row.entity.name) else { continue }
                    let copier = try copiers[entity.name] ?? writer.rowCopier(of: entity)
                    copiers[entity.name] = copier
                    try copier.insert(key: row.key, row.fitted(to: entity).values)
                }
            }
            note(rows.count)
            (rows, byteCount) = ([], 0)
            try Self.checkInterruption()
        }
        try source.context.forEachStoredRow(inTableOf: sourceRoot, after: record.key) { row in
            rows.append(row)
            byteCount += row.byteCount
            if rows.count >= batchSize || byteCount >= Self.maximumByteCount { try flush() }
            return true
        }
        try flush()
    }

    private func moveLinks(of relationship: RelationshipDescription, in entity: EntityDescription) throws {
        guard let sourceEntity = source.container.model.entity(named: entity.name),
            let end = plan.model.linkEnd(of: relationship, in: entity)
        else { return }
        var links: [StoredLink] = []
        func flush() throws {
            guard let last = links.last else { return }
            try write {
                $0.key = last.owner
                $0.otherKey = last.member
            } rows: { writer in
                try writer.announceBulkWrite(toTableNamed: end.table.name)
                for link in links where link.isComplete {
                    try writer.copyLink(
                        of: relationship, in: entity, owner: link.owner, member: link.member,
                        positions: (link.position, link.inversePosition))
                }
            }
            note(links.count)
            links = []
            try Self.checkInterruption()
        }
        var start: (owner: Int64, member: Int64)?
        if let owner = record.key, let member = record.otherKey { start = (owner, member) }
        try source.context.forEachStoredLink(
            of: plan.sourceRelationship(relationship, of: entity), in: sourceEntity, after: start
        ) { link in
            links.append(link)
            if links.count >= batchSize { try flush() }
            return true
        }
        try flush()
    }

    private func note(_ count: Int) {
        numberOfRows += count
        progress(numberOfRows)
    }
}
