import GRDB

extension ManagedObjectContext {
    /// Gives new objects their permanent identities before they are saved.
    ///
    /// ```swift
    /// try context.obtainPermanentIDs(for: context.insertedObjects)
    /// ```
    ///
    /// An identity that is taken afterwards stays equal, with an equal hash value, across the save: in sets,
    /// dictionaries, snapshots and files. The temporary identity that an object had before still leads to it,
    /// and is not equal to the permanent one. Objects that have permanent identities already are skipped. An
    /// object that is never saved leaves a gap in the keys.
    ///
    /// The store reserves the keys in one transaction, which changes no rows. A save that merges a new object
    /// with a row that has its unique value replaces its identity by that of the row. The temporary identity
    /// then leads to the row. A kept copy of the replaced permanent identity does not: it is a key without a
    /// row, for which ``existingObject(with:)`` throws ``ObjectStorageError/Code/objectMissing``.
    ///
    /// - Parameter objects: Objects of this context.
    /// - Throws: ``ObjectStorageError`` if an object belongs to another context
    ///   (``ObjectStorageError/Code/wrongContext``) or to an entity of an external table, whose keys cannot
    ///   be reserved (``ObjectStorageError/Code/invalidRequest``), or the store cannot be written. In these
    ///   cases no identity changes.
    /// - Complexity: O(*n*) in the number of objects, plus one transaction.
    public func obtainPermanentIDs(
        for objects: some Sequence<some ManagedObject>
    ) throws(ObjectStorageError) {
        var new: [ManagedObject] = []
        for object in Set(objects.lazy.map { $0 as ManagedObject }) {
            guard object.managedObjectContext === self else {
                throw ObjectStorageError(
                    .wrongContext,
                    "\(object.objectID) is not an object of this context. Obtain its permanent identity in its own context.",
                    entityName: object.entity.name, objectID: object.objectID)
            }
            guard case .temporary = object.identityKey, object.state != .gone else { continue }
            guard object.entity.mapping == nil else {
                throw ObjectStorageError(
                    .invalidRequest,
                    "The identity of \(object.objectID) cannot be obtained before its save: its key is that of the external table “\(object.entity.tableName)”, in which other programs insert rows as well.",
                    entityName: object.entity.name, objectID: object.objectID)
            }
            new.append(object)
        }
        guard !new.isEmpty else { return }
        // Keys increase in the order of the insertions, as those that a save chooses do.
        new.sort { $0.identityKey.unsavedKey < $1.identityKey.unsavedKey }
        let keys = try container.reserveKeys(for: new.map(\.entity))
        let identities = zip(new, keys).map { ($0.identityKey, ObjectID.Key.permanent($1)) }
        var root = self
        while let parent = root.parent { root = parent }
        root.replaceTemporaryKeys(identities)
    }

    /// Replaces the temporary keys of new objects, in this context and its children.
    private func replaceTemporaryKeys(_ keys: [(ObjectID.Key, ObjectID.Key)]) {
        for (previous, new) in keys {
            if case .temporary(let number) = previous {
                container.temporaryIdentities.note(new.unsavedKey, of: number)
            }
        }
        replaceOwnTemporaryKeys(keys)
        replaceKeysInChildren(ReplacedKeys(temporary: keys))
        eachDescendant { $0.replaceOwnTemporaryKeys(keys) }
    }

    private func replaceOwnTemporaryKeys(_ keys: [(ObjectID.Key, ObjectID.Key)]) {
        for (previous, new) in keys {
            guard let object = unsavedObject(previous) else { continue }
            object.reserve(new)
            object.runtime.registry.register(object, key: new.unsavedKey)
        }
        forgetPendingKeys()
    }

    private func eachDescendant(_ body: (ManagedObjectContext) -> Void) {
        for child in children {
            guard let context = child.context else { continue }
            body(context)
            context.eachDescendant(body)
        }
    }
}

extension PersistentContainer {
    /// Reserves keys that no row has and no other insertion gets, one for each entity.
    ///
    /// - Returns: The keys in the order of the entities, ascending in each table.
    fileprivate func reserveKeys(for entities: [EntityDescription]) throws(ObjectStorageError) -> [Int64] {
        try commit("Reserving keys in \(nameInMessages)") { database in
            var last: [String: Int64] = [:]
            let keys = try entities.map { entity in
                let key = try KeyHighWaterMarks.key(
                    after: last[entity.tableName] ?? PendingChanges.lastKey(of: entity, in: database),
                    of: entity)
                last[entity.tableName] = key
                return key
            }
            for (name, key) in last.sorted(by: { $0.key < $1.key }) {
                try database.run(
                    "UPDATE main.sqlite_sequence SET seq = ?2 WHERE name = ?1", [.text(name), .integer(key)])
                guard database.changesCount == 0 else { continue }
                try database.run(
                    "INSERT INTO main.sqlite_sequence (name, seq) VALUES (?1, ?2)",
                    [.text(name), .integer(key)])
            }
            return keys
        }.result
    }
}
