extension ManagedObjectContext {
    /// The objects that a relationship kept in a link table leads to, unsaved changes included, in its order.
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
            let condition = entity.kindCondition("t").map { " AND " + $0 } ?? ""
            let order = end.positionColumn.map { "l.\($0) IS NULL, l.\($0), " } ?? ""
            // A program that does not enforce foreign keys may have left links to rows that are gone.
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

    /// The keys that a relationship was found to lead to when its owner was read.
    private func prefetchedKeys(of relationshipName: String, of owner: ManagedObject) -> [Int64]? {
        guard let key = owner.rowKey, let prefetched = owner.currentPrefetch else { return nil }
        let name = PrefetchedRows.RelationshipName(
            entity: owner.entity.declaringEntityName(ofRelationshipNamed: relationshipName),
            relationship: relationshipName)
        return prefetched.keys(name, of: key)
    }

    /// Makes a relationship kept in a link table lead to exactly some objects, in their order if it has one.
    func link(
        _ owner: ManagedObject, at end: LinkEnd, to objects: [ManagedObject],
        insteadOf current: [ManagedObject]
    ) {
        let new = Set(objects)
        let old = Set(current)
        recordPlaces(at: end, among: new.symmetricDifference(old))
        undoManager?.record(.links(owner, end, current))
        let place = placeOfLinks(in: end.table)
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

    /// Takes over the changes that a child context made.
    ///
    /// - Parameter counterparts: The objects of this context for those of the child that the changes are
    ///   about and that are not deleted.
    func adopt(_ changes: PendingLinks, of counterparts: [ManagedObject: ManagedObject]) {
        let place = placeOfLinks(in: changes.table)
        let forward = LinkEnd(table: changes.table, isForward: true)
        if undoManager?.isUndoRegistrationEnabled == true {
            recordLinks(changedBy: changes, of: counterparts, forward)
        }
        for pair in changes.removed {
            guard let source = counterparts[pair.source], let target = counterparts[pair.target] else {
                continue
            }
            links[place].remove(source, target, at: forward)
            for object in [source, target] { noteLinkChange(of: object) }
        }
        for pair in changes.added.all {
            guard let source = counterparts[pair.source], let target = counterparts[pair.target] else {
                continue
            }
            links[place].add(source, target, at: forward)
            for object in [source, target] { noteLinkChange(of: object) }
        }
        for (end, orders) in [(forward, changes.targetOrders), (forward.opposite, changes.sourceOrders)] {
            for (owner, objects) in orders {
                guard let owner = counterparts[owner] else { continue }
                links[place].setOrder(objects.compactMap { counterparts[$0] }, of: owner, at: end)
                noteLinkChange(of: owner)
            }
        }
    }

    /// Where the unsaved changes of a link table are, made if there are none.
    private func placeOfLinks(in table: LinkTable) -> Int {
        if let place = links.firstIndex(where: { $0.table == table }) { return place }
        links.append(PendingLinks(table))
        return links.count - 1
    }

    private func noteLinkChange(of object: ManagedObject) {
        object.hasChangedLinks = true
        object.countLinkChange()
        notePending(object)
    }

    /// Forgets what an object was made to lead to, and who was made to lead to it.
    func forgetLinks(of object: ManagedObject) {
        guard object.hasChangedLinks else { return }
        var touched: Set<ManagedObject> = [object]
        for place in links.indices { touched.formUnion(links[place].forget(object)) }
        links.removeAll(where: \.isEmpty)
        for object in touched { object.countLinkChange() }
        for object in touched where !links.contains(where: { $0.mentions(object) }) {
            object.hasChangedLinks = false
            if object.state == .clean { forgetPending(object) }
        }
    }

    /// Takes the unsaved changes of all link tables away.
    func clearLinks() { links = [] }
}
