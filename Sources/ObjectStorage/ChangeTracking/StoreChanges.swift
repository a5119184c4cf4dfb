/// What one or more committed transactions did to a store, as a value that can go from one isolation to
/// another.
///
/// A save returns it; ``ManagedObjectContext/mergeChanges(from:)`` brings it to another context.
public struct StoreChanges: Hashable, Sendable {
    /// Objects that were not there before.
    public var insertedObjectIDs: Set<ObjectID>
    /// Objects that have other values, or may have.
    public var updatedObjectIDs: Set<ObjectID>
    /// Objects that are gone.
    public var deletedObjectIDs: Set<ObjectID>
    /// Entities of which any objects may be inserted, updated or deleted, because nobody listed them: after
    /// another program's changes, and after changes of very many rows. An entity stands for those that
    /// inherit from it as well.
    public var changedEntityNames: Set<String>
    /// The states of the tables before and after, each entity once. Of changes that were put together it is
    /// the first run without another program's changes in between.
    package var tables: [TableTransition] = []
    /// Whether the log does not have all rows that changed, because they were too many, and the objects
    /// listed here are all of them, between the states that ``tables`` has. So it is with a save whose rows
    /// nobody else's triggers changed further.
    package var replacesLog = false
    /// The properties that changed, if each transaction did nothing but update rows of one table; else nil.
    package var updatedProperties: Set<String>?
    /// Objects of the context that merged the changes which show other values since.
    package var refreshedObjectIDs: Set<ObjectID> = []
    /// Updated objects of which nothing changed but relationships that are kept in link tables.
    package var relinkedObjectIDs: Set<ObjectID> = []

    /// Makes a change set.
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

    /// The number of objects listed.
    package var listedCount: Int { insertedObjectIDs.count + updatedObjectIDs.count + deletedObjectIDs.count }

    /// The names of the entities concerned.
    public var entityNames: Set<String> {
        var names = changedEntityNames
        for objectIDs in [insertedObjectIDs, updatedObjectIDs, deletedObjectIDs] {
            for objectID in objectIDs { names.insert(objectID.entityName) }
        }
        return names
    }

    /// Adds changes that were committed later.
    ///
    /// - Complexity: O(*n*) in the number of objects of the later changes, however many there were before.
    public mutating func append(_ later: StoreChanges) {
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
            guard let place = tables.firstIndex(where: { $0.tableName == table.tableName }) else {
                tables.append(table)
                continue
            }
            if let after = tables[place].after, after == table.before { tables[place].after = table.after }
        }
    }

    /// The same without the objects, by entity alone.
    var byEntity: StoreChanges {
        var changes = StoreChanges(changedEntityNames: entityNames)
        changes.tables = tables
        return changes
    }
}

extension StoreChanges {
    /// Compares what changed. When it did, which the states of the tables tell, is another question.
    public static func == (first: StoreChanges, second: StoreChanges) -> Bool {
        first.insertedObjectIDs == second.insertedObjectIDs
            && first.updatedObjectIDs == second.updatedObjectIDs
            && first.deletedObjectIDs == second.deletedObjectIDs
            && first.changedEntityNames == second.changedEntityNames
    }

    /// Hashes what changed.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(insertedObjectIDs)
        hasher.combine(updatedObjectIDs)
        hasher.combine(deletedObjectIDs)
        hasher.combine(changedEntityNames)
    }
}

/// The states of one table before and after a transaction; nil for a table that is not stamped.
package struct TableTransition: Hashable, Sendable {
    /// The table.
    package let tableName: String
    /// The state when the transaction began.
    package let before: [UInt8]?
    /// The state that it left.
    package var after: [UInt8]?
    /// Whether the transaction stamped the table and changed none of its rows: somebody else had.
    var isStampedOnly = false
}

extension [TableTransition] {
    /// Whether rows of just one table changed.
    var areOfOneTable: Bool { filter { !$0.isStampedOnly }.count == 1 }
}
