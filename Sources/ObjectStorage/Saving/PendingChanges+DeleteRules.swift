import GRDB

/// Rows that the delete rules of a save affect and that did not exist when the rules were carried out.
enum LateRows {
    /// Rows that a cascade rule deletes as well.
    case cascading
    /// Rows because of which a rule denies a deletion.
    case denying(ObjectStorageError)
}

extension PendingChanges {
    /// Whether a deleted object has a delete rule that affects rows of other objects.
    var hasDeleteRules: Bool {
        deleted.contains { object in object.entity.relationships.contains(where: \.reachesOnDeletion) }
    }

    /// Finds rows that another program or context linked to a deleted object after the delete rules were
    /// carried out. In the transaction of the save, no further rows can be added.
    ///
    /// - Complexity: O(*d* log *n*) for *d* deleted objects, using the indexes of relationships.
    func lateRows(in database: Database) throws -> LateRows? {
        var isCascading = false
        for object in deleted {
            guard let key = object.rowKey else { continue }
            for relationship in object.entity.relationships where relationship.reachesOnDeletion {
                let count = try numberOfRows(leadingTo: key, of: object, through: relationship, in: database)
                guard count > 0 else { continue }
                if relationship.deleteRule == .deny {
                    return .denying(.deletionDenied(of: object.objectID, by: relationship, count: count))
                }
                isCascading = true
            }
        }
        return isCascading ? .cascading : nil
    }

    /// Returns the number of rows at the other end of a to-many relationship that the save neither deletes
    /// nor links to another object.
    private func numberOfRows(
        leadingTo key: Int64, of object: ManagedObject, through relationship: RelationshipDescription,
        in database: Database
    ) throws -> Int {
        let model = container.model
        guard let other = model.entity(named: relationship.destinationEntityName) else { return 0 }
        let gone = deletedKeys[other.tableName] ?? []
        if let end = model.linkEnd(of: relationship, in: object.entity) {
            let unlinked = links.first { $0.table == end.table }?.keys(removedFrom: object, at: end) ?? []
            return try Self.keys(
                "SELECT \(end.otherColumn) FROM \(end.table.tableSQL) WHERE \(end.ownColumn) = ?1", key,
                in: database
            ).count { !gone.contains($0) && !unlinked.contains($0) }
        }
        guard let inverse = relationship.inverseName else { return 0 }
        let keys = try Self.keys(
            "SELECT \(other.keySQL) FROM \(other.tableSQL) WHERE \(other.columnSQL(inverse)) = ?1", key,
            in: database
        ).filter { !gone.contains($0) }
        guard !keys.isEmpty else { return 0 }
        let moved = Set(
            updated.lazy.filter { $0.entity.tableName == other.tableName }.compactMap(\.rowKey))
        return keys.count { !moved.contains($0) }
    }

    private static func keys(_ sql: String, _ key: Int64, in database: Database) throws -> [Int64] {
        try database.rows(sql, [.integer(key)]).compactMap {
            if case .integer(let key) = $0[0] { key } else { nil }
        }
    }
}

extension RelationshipDescription {
    /// Whether the delete rule affects rows that another program can link to the object.
    var reachesOnDeletion: Bool { isToMany && (deleteRule == .cascade || deleteRule == .deny) }
}

extension PendingLinks {
    /// Returns the keys of the rows that an object no longer leads to.
    fileprivate func keys(removedFrom owner: ManagedObject, at end: LinkEnd) -> Set<Int64> {
        Set(
            removed.compactMap { pair in
                let (own, other) = end.isForward ? (pair.source, pair.target) : (pair.target, pair.source)
                return own === owner ? other.rowKey : nil
            })
    }
}
