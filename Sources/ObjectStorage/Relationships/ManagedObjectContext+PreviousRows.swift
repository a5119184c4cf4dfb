extension ManagedObjectContext {
    /// Returns the rows of the context's unsaved changes with the values that they have in the store; empty
    /// if neither this context nor another one has an observer of changes.
    ///
    /// An object whose row was changed elsewhere as well is unknown.
    ///
    /// - Parameter conflicting: Whether the save found another row than the object had.
    /// - Complexity: O(*n*) in the number of objects with unsaved changes.
    func previousRowsOfChanges(except conflicting: (ManagedObject) -> Bool = { _ in false }) -> PreviousRows {
        var rows = PreviousRows()
        guard !observers.isEmpty || container.mailboxes.areObserved else { return rows }
        for object in pending
        where !object.objectID.isTemporary && object.untakenRow == nil && !conflicting(object) {
            switch object.state {
            case .updated:
                guard let before = object.committedValues else { continue }
                var row = PreviousRow(before, changedTo: object.values, readEpoch: object.readEpoch)
                row.write(object.assignedReferences.keys)
                rows.append(row, of: object.objectID)
            case .deleted:
                guard let before = object.committedValues ?? (object.isFault ? nil : object.values) else {
                    continue
                }
                rows.append(
                    PreviousRow(before, changedTo: nil, readEpoch: object.readEpoch), of: object.objectID)
            case .clean, .inserted, .gone: continue
            }
        }
        for (object, names) in changedLinkNames where !object.objectID.isTemporary && !object.isDeleted {
            let isUnknown = object.untakenRow != nil || conflicting(object)
            rows.append(isUnknown ? .unknown : PreviousRow(relinked: names), of: object.objectID)
        }
        return rows
    }

    /// The objects whose relationships in link tables have unsaved changes, with the names of these
    /// relationships.
    var changedLinkNames: [ManagedObject: Set<String>] {
        var names: [ManagedObject: Set<String>] = [:]
        for links in links {
            let (sources, targets) = links.changedObjects
            for (objects, isForward) in [(sources, true), (targets, false)] {
                for object in objects {
                    names[object, default: []].formUnion(
                        object.entity.relationships.lazy.filter { relationship in
                            let end = self.container.model.linkEnd(of: relationship, in: object.entity)
                            return end?.table.name == links.table.name
                                && (end?.isForward == isForward || links.table.isSymmetric)
                        }.map(\.name))
                }
            }
        }
        return names
    }
}
