extension ManagedObjectContext {
    /// The objects that a relationship kept in a link table leads to, unsaved changes included, in its order.
    func objects(
        linkedTo owner: ManagedObject, at end: LinkEnd, relationshipName: String
    ) throws(ObjectStorageError) -> [ManagedObject] {
        let other = end.isForward ? end.table.targetEntityName : end.table.sourceEntityName
        let runtime = try requireRuntime(ofEntityNamed: other)
        var stored: [ManagedObject] = []
        if let key = owner.objectID.primaryKey {
            let order = end.positionColumn.map { "l.\($0) IS NULL, l.\($0), " } ?? ""
            // A program that does not enforce foreign keys may have left links to rows that are gone.
            let sql = """
                SELECT t.objectID FROM main.\(end.table.name.quotedIdentifier) AS l \
                JOIN main.\(other.quotedIdentifier) AS t ON t.objectID = l.\(end.otherColumn) \
                WHERE l.\(end.ownColumn) = ?1 ORDER BY \(order)t.objectID
                """
            let rows = try ObjectStorageError.translating(
                "Reading “\(owner.entity.name).\(relationshipName)”"
            ) {
                try container.connections.read { try $0.rows(sql, [.integer(key)]) }
            }
            for case .integer(let key)? in rows.map(\.first) {
                stored.append(object(forKey: key, runtime: runtime))
            }
        }
        let changes = links.first { $0.table == end.table }
        let objects = changes?.objects(of: owner, at: end, stored: stored) ?? stored
        return objects.contains(where: \.isDeleted) ? objects.filter { !$0.isDeleted } : objects
    }

    /// Makes a relationship kept in a link table lead to exactly some objects, in their order if it has one.
    func link(
        _ owner: ManagedObject, at end: LinkEnd, to objects: [ManagedObject],
        insteadOf current: [ManagedObject]
    ) {
        undoManager?.record(.links(owner, end, current))
        let new = Set(objects)
        let old = Set(current)
        let place = links.firstIndex { $0.table == end.table } ?? links.endIndex
        if place == links.endIndex { links.append(LinkChanges(end.table)) }
        for object in current where !new.contains(object) {
            links[place].remove(owner, object, at: end)
            noteLinkChange(of: object)
        }
        for object in objects where !old.contains(object) {
            links[place].add(owner, object, at: end)
            noteLinkChange(of: object)
        }
        if end.positionColumn != nil, objects != current {
            links[place].setOrder(objects, of: owner, at: end)
            noteLinkChange(of: owner)
        } else if new != old {
            noteLinkChange(of: owner)
        }
    }

    private func noteLinkChange(of object: ManagedObject) {
        object.hasChangedLinks = true
        notePending(object)
    }

    /// Takes the unsaved changes of all link tables away.
    func clearLinks() { links = [] }
}
