extension ManagedObjectContext {
    /// Returns the objects that a relationship stored in a link table leads to, in its order, including
    /// unsaved changes.
    func objects(
        linkedTo owner: ManagedObject, at end: LinkEnd, relationshipName: String
    ) throws(ObjectStorageError) -> [ManagedObject] {
        let other = end.isForward ? end.table.targetEntityName : end.table.sourceEntityName
        let runtime = try requireRuntime(ofEntityNamed: other)
        var stored: [ManagedObject] = []
        if let keys = prefetchedKeys(of: relationshipName, of: owner) {
            let prefetched = owner.currentPrefetch
            for key in keys {
                let object = try object(ledToBy: key, runtime, prefetched: prefetched)
                prefetched?.fill(object)
                stored.append(object)
            }
        } else if let ownerKey = owner.rowKey {
            let entity = runtime.description
            let key = entity.keySQL
            let condition = entity.concreteEntityCondition("t").map { " AND " + $0 } ?? ""
            let order = end.positionColumn.map { "l.\($0) IS NULL, l.\($0), " } ?? ""
            // A program that does not enforce foreign keys may have left links to rows that no longer exist.
            let sql = """
                SELECT \(entity.identityColumns("t.")) FROM \(end.table.tableSQL) AS l \
                JOIN \(entity.tableSQL) AS t ON t.\(key) = l.\(end.otherColumn) \
                WHERE l.\(end.ownColumn) = ?1\(condition) ORDER BY \(order)t.\(key)
                """
            let rows = try read("Reading “\(owner.entity.name).\(relationshipName)”") {
                try $0.rows(sql, [.integer(ownerKey)])
            }
            for row in rows {
                guard case .integer(let key)? = row.first else { continue }
                stored.append(object(forKey: key, ofJust: self.runtime(of: row, runtime)))
            }
        }
        let changes = links.first { $0.table == end.table }
        let objects = changes?.objects(of: owner, at: end, stored: stored) ?? stored
        return objects.contains(where: \.isDeleted) ? objects.filter { !$0.isDeleted } : objects
    }

    /// Returns the keys that a relationship led to when they were prefetched with its owner.
    private func prefetchedKeys(of relationshipName: String, of owner: ManagedObject) -> [Int64]? {
        guard let key = owner.rowKey, let prefetched = owner.currentPrefetch else { return nil }
        let name = PrefetchedRows.RelationshipName(
            entity: owner.entity.declaringEntityName(ofRelationshipNamed: relationshipName),
            relationship: relationshipName)
        return prefetched.keys(name, of: key)
    }

    /// Sets a relationship stored in a link table to some objects, in their order if the relationship is
    /// ordered.
    func link(
        _ owner: ManagedObject, at end: LinkEnd, to objects: [ManagedObject],
        insteadOf current: [ManagedObject]
    ) {
        let new = Set(objects)
        let old = Set(current)
        recordPositions(at: end, among: new.symmetricDifference(old))
        undoManager?.record(.links(owner, end, current))
        let index = indexOfLinks(in: end.table)
        for object in current where !new.contains(object) {
            links[index].remove(owner, object, at: end)
            noteLinkChange(of: object)
        }
        for object in objects where !old.contains(object) {
            links[index].add(owner, object, at: end)
            noteLinkChange(of: object)
        }
        if end.positionColumn != nil, objects != current {
            links[index].setOrder(objects, of: owner, at: end)
            noteLinkChange(of: owner)
        } else if new != old {
            noteLinkChange(of: owner)
        }
    }

    /// Applies the changes of a child context to this context.
    ///
    /// - Parameter counterparts: This context's object for each object of the child that the changes concern
    ///   and that is not deleted.
    func adopt(_ changes: PendingLinks, of counterparts: [ManagedObject: ManagedObject]) {
        let index = indexOfLinks(in: changes.table)
        let forward = LinkEnd(table: changes.table, isForward: true)
        if undoManager?.isUndoRegistrationEnabled == true {
            recordLinks(changedBy: changes, of: counterparts, forward)
        }
        for pair in changes.removed {
            guard let source = counterparts[pair.source], let target = counterparts[pair.target] else {
                continue
            }
            links[index].remove(source, target, at: forward)
            for object in [source, target] { noteLinkChange(of: object) }
        }
        for pair in changes.added.all {
            guard let source = counterparts[pair.source], let target = counterparts[pair.target] else {
                continue
            }
            links[index].add(source, target, at: forward)
            for object in [source, target] { noteLinkChange(of: object) }
        }
        for (end, orders) in [(forward, changes.targetOrders), (forward.opposite, changes.sourceOrders)] {
            for (owner, objects) in orders {
                guard let owner = counterparts[owner] else { continue }
                links[index].setOrder(objects.compactMap { counterparts[$0] }, of: owner, at: end)
                noteLinkChange(of: owner)
            }
        }
    }

    /// Returns the index of a link table's unsaved changes in `links`, after adding an empty element if there
    /// is none.
    private func indexOfLinks(in table: LinkTable) -> Int {
        if let index = links.firstIndex(where: { $0.table == table }) { return index }
        links.append(PendingLinks(table))
        return links.count - 1
    }

    private func noteLinkChange(of object: ManagedObject) {
        object.hasChangedLinks = true
        object.countLinkChange()
        notePending(object)
    }

    /// Discards the unsaved links of an object, in both directions.
    func forgetLinks(of object: ManagedObject) {
        guard object.hasChangedLinks else { return }
        var touched: Set<ManagedObject> = [object]
        for index in links.indices { touched.formUnion(links[index].forget(object)) }
        links.removeAll(where: \.isEmpty)
        for object in touched { object.countLinkChange() }
        for object in touched where !links.contains(where: { $0.mentions(object) }) {
            object.hasChangedLinks = false
            if object.state == .clean { forgetPending(object) }
        }
    }

    /// Discards the unsaved changes of all link tables.
    func clearLinks() { links = [] }
}
