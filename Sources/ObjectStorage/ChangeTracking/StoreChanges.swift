/// The changes of one or more committed transactions to a store, as a value that can be passed between
/// isolation domains.
///
/// A save returns it; ``ManagedObjectContext/mergeChanges(from:)`` applies it to another context.
public struct StoreChanges: Hashable, Sendable {
    /// The objects that were inserted.
    public var insertedObjectIDs: Set<ObjectID>
    /// The objects whose values changed, or may have changed.
    public var updatedObjectIDs: Set<ObjectID>
    /// The objects that were deleted.
    public var deletedObjectIDs: Set<ObjectID>
    /// The entities of which any objects may be inserted, updated or deleted, because the objects are not
    /// listed: after changes of another program, and after changes of very many rows. An entity represents
    /// those that inherit from it as well.
    public var changedEntityNames: Set<String>
    /// The states of the tables before and after, each table once. For combined changes, the state after is
    /// that at the end of the first sequence of transactions without changes of another program in between.
    package var tables: [TableTransition] = []
    /// Whether the log is incomplete because too many rows changed, and the objects listed here are all
    /// changed objects between the states in ``tables``. This is the case for a save whose rows were not
    /// changed further by triggers of other programs.
    package var replacesLog = false
    /// The properties that changed, if each transaction only updated rows of one table; nil otherwise.
    package var updatedProperties: Set<String>?
    /// Objects of the merging context that show other values since the merge.
    package var refreshedObjectIDs: Set<ObjectID> = []
    /// Updated objects of which only relationships in link tables changed.
    package var relinkedObjectIDs: Set<ObjectID> = []
    /// The values of updated and deleted rows before the changes, as far as they are known. The values are
    /// recorded only for observers, and comparisons of changes ignore them.
    package var previousRows = PreviousRows()

    /// Creates a change set.
    ///
    /// - Parameters:
    ///   - insertedObjectIDs: The objects that were inserted.
    ///   - updatedObjectIDs: The objects whose values changed, or may have changed.
    ///   - deletedObjectIDs: The objects that were deleted.
    ///   - changedEntityNames: The entities of which any objects may be inserted, updated or deleted.
    public init(
        insertedObjectIDs: Set<ObjectID> = [], updatedObjectIDs: Set<ObjectID> = [],
        deletedObjectIDs: Set<ObjectID> = [], changedEntityNames: Set<String> = []
    ) {
        self.insertedObjectIDs = insertedObjectIDs
        self.updatedObjectIDs = updatedObjectIDs
        self.deletedObjectIDs = deletedObjectIDs
        self.changedEntityNames = changedEntityNames
    }

    /// Whether nothing changed.
    public var isEmpty: Bool {
        insertedObjectIDs.isEmpty && updatedObjectIDs.isEmpty && deletedObjectIDs.isEmpty
            && changedEntityNames.isEmpty
    }

    /// The number of listed objects.
    package var listedCount: Int { insertedObjectIDs.count + updatedObjectIDs.count + deletedObjectIDs.count }

    /// The names of the affected entities.
    public var entityNames: Set<String> {
        var names = changedEntityNames
        for objectIDs in [insertedObjectIDs, updatedObjectIDs, deletedObjectIDs] {
            for objectID in objectIDs { names.insert(objectID.entityName) }
        }
        return names
    }

    /// Adds changes that were committed later.
    ///
    /// - Parameter later: Changes of the same store that were committed after these.
    /// - Complexity: O(*n*) in the number of objects of the later changes, independent of the earlier ones.
    public mutating func append(_ later: StoreChanges) {
        if !previousRows.isEmpty || !later.previousRows.isEmpty { appendRows(later) }
        if isEmpty, tables.isEmpty {
            updatedProperties = later.updatedProperties
        } else {
            updatedProperties = later.updatedProperties.flatMap { updatedProperties?.union($0) }
        }
        let written = updatedObjectIDs.subtracting(relinkedObjectIDs)
            .union(later.updatedObjectIDs.subtracting(later.relinkedObjectIDs))
        relinkedObjectIDs = relinkedObjectIDs.union(later.relinkedObjectIDs).subtracting(written)
        let restored = later.insertedObjectIDs.filter { deletedObjectIDs.contains($0) }
        for objectID in later.insertedObjectIDs where !restored.contains(objectID) {
            insertedObjectIDs.insert(objectID)
            updatedObjectIDs.remove(objectID)
        }
        insertedObjectIDs.subtract(later.deletedObjectIDs)
        for objectID in later.updatedObjectIDs where !insertedObjectIDs.contains(objectID) {
            updatedObjectIDs.insert(objectID)
        }
        updatedObjectIDs.formUnion(restored)
        updatedObjectIDs.subtract(later.deletedObjectIDs)
        deletedObjectIDs.subtract(restored)
        deletedObjectIDs.formUnion(later.deletedObjectIDs)
        changedEntityNames.formUnion(later.changedEntityNames)
        refreshedObjectIDs.formUnion(later.refreshedObjectIDs)
        replacesLog = false
        for table in later.tables {
            guard let index = tables.firstIndex(where: { $0.tableName == table.tableName }) else {
                tables.append(table)
                continue
            }
            if let after = tables[index].after, after == table.before { tables[index].after = table.after }
        }
    }

    /// Adds the previous rows of later changes. Rows that are already listed without values remain unknown.
    private mutating func appendRows(_ later: StoreChanges) {
        if previousRows.isEmpty { previousRows.append(self) }
        previousRows.append(later)
    }

    /// These changes by entity only, without the objects.
    var byEntity: StoreChanges {
        var changes = StoreChanges(changedEntityNames: entityNames)
        changes.tables = tables
        changes.previousRows = .overfull
        return changes
    }
}

extension StoreChanges {
    /// Returns whether two values have the same changes. The states of the tables, which identify the time of
    /// the changes, are not compared.
    ///
    /// - Parameters:
    ///   - first: The changes of some transactions.
    ///   - second: The changes of other transactions.
    /// - Complexity: O(*n*) in the number of objects and entities.
    public static func == (first: StoreChanges, second: StoreChanges) -> Bool {
        first.insertedObjectIDs == second.insertedObjectIDs
            && first.updatedObjectIDs == second.updatedObjectIDs
            && first.deletedObjectIDs == second.deletedObjectIDs
            && first.changedEntityNames == second.changedEntityNames
    }

    /// Hashes the changes.
    ///
    /// - Parameter hasher: The hasher, which receives the changes but not the states of the tables.
    /// - Complexity: O(*n*) in the number of objects and entities.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(insertedObjectIDs)
        hasher.combine(updatedObjectIDs)
        hasher.combine(deletedObjectIDs)
        hasher.combine(changedEntityNames)
    }
}

/// The states of one table before and after a transaction; nil for a table without a stamp.
package struct TableTransition: Hashable, Sendable {
    /// The name of the table.
    package let tableName: String
    /// The state at the beginning of the transaction.
    package let before: [UInt8]?
    /// The state at its end.
    package var after: [UInt8]?
    /// Whether the transaction stamped the table and changed none of its rows: another program had changed
    /// it.
    var isStampedOnly = false
}

extension [TableTransition] {
    /// Whether rows of exactly one table changed.
    var areOfOneTable: Bool { filter { !$0.isStampedOnly }.count == 1 }
}
