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
    private let target: UnfinishedStore
    private let batchSize: Int
    private let progress: (Int) -> Void
    /// The number of rows and pairs that this process wrote.
    private(set) var numberOfRows = 0

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
        self.target = UnfinishedStore(target, record)
        self.batchSize = batchSize
        self.progress = progress
    }

    /// Moves the rows that are not moved yet.
    ///
    /// - Throws: `ObjectStorageError`; `CancellationError` after a signal. Complete batches stay.
    func run() throws {
        guard target.record.completedTables <= plan.tables.count else { return }
        try target.begin()
        for table in plan.tables.dropFirst(target.record.completedTables) {
            switch table {
            case .objects(let entity): try moveObjects(of: entity)
            case .links(let relationship, let entity): try moveLinks(of: relationship, in: entity)
            }
            try target.write { next in
                next.completedTables += 1
                (next.key, next.otherKey) = (nil, nil)
            }
        }
        try Self.checkInterruption()
        _ = try target.complete()
    }

    /// Removes the state of the move from the store, which is complete.
    func finish() throws {
        try target.finish()
    }

    /// Throws `CancellationError` after a signal.
    static func checkInterruption() throws {
        if Interruption.signal != nil { throw CancellationError() }
    }

    private func moveObjects(of root: EntityDescription) throws {
        guard let sourceRoot = source.container.model.entity(named: root.name) else { return }
        var rows: [StoredRow] = []
        var byteCount = 0
        func flush() throws {
            guard let last = rows.last else { return }
            try target.write {
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
        try source.context.forEachStoredRow(inTableOf: sourceRoot, after: target.record.key) { row in
            rows.append(row)
            byteCount += row.byteCount
            if rows.count >= batchSize || byteCount >= UnfinishedStore.maximumByteCount { try flush() }
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
            try target.write {
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
        if let owner = target.record.key, let member = target.record.otherKey { start = (owner, member) }
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
