import SectionedFetch

extension Inventory {
    /// Applies the unsaved changes of a context to the committed rows, after those of the contexts that it
    /// saves to.
    ///
    /// - Parameter includesOwn: Whether to apply the changes of the context itself, and not only those of the
    ///   contexts that it reads through.
    mutating func overlay(_ context: ManagedObjectContext, includesOwn: Bool = true) throws {
        if let parent = context.parent { try overlay(parent) }
        guard includesOwn else { return }
        for object in context.deletedObjects { remove(object.plainID) }
        // A row that was changed here and deleted elsewhere is not found; the outcome is up to the save.
        for object in context.insertedObjects + context.updatedObjects.filter({ has($0.plainID) }) {
            try put(object)
        }
        // An object's target may be deleted in this context, even if the object was never loaded.
        for (id, part) in parts where part.target.map({ shelves[$0] == nil }) == true {
            parts[id]?.target = nil
        }
        for (id, shelf) in shelves where shelf.target.map({ halls[$0] == nil }) == true {
            shelves[id]?.target = nil
        }
    }

    private func has(_ objectID: ObjectID) -> Bool {
        parts[objectID] != nil || shelves[objectID] != nil || halls[objectID] != nil
    }

    private mutating func remove(_ objectID: ObjectID) {
        switch objectID.entityName {
        case "Shelf": shelves[objectID] = nil
        case "Hall": halls[objectID] = nil
        case "Tag": break
        default:
            parts[objectID] = nil
            words[objectID] = nil
        }
    }

    private mutating func put(_ object: ManagedObject) throws {
        switch object.entity.name {
        case "Shelf", "Hall":
            let record = try Record(place: object)
            if record.kind == "Shelf" { shelves[record.id] = record } else { halls[record.id] = record }
        case "Tag": break
        default:
            let record = try Record(part: object)
            parts[record.id] = record
            var found: Set<String> = []
            for tag in try object.relatedObjects("tags") {
                if case .text(let word) = try tag.value(forProperty: "word") { found.insert(word) }
            }
            words[record.id] = found.isEmpty ? nil : found
        }
    }
}

extension Record {
    /// Creates the record of an object of a list.
    init(listed object: ManagedObject) throws {
        let isPlace = ["Shelf", "Hall"].contains(object.entity.name)
        self = isPlace ? try Record(place: object).asPart : try Record(part: object)
    }

    /// Creates the record of a shelf or hall from the values of its object.
    init(place object: ManagedObject) throws {
        self.init(
            id: object.plainID, kind: object.entity.name,
            values: [try object.value(forProperty: "name"), try object.value(forProperty: "note")],
            target: object.entity.name == "Shelf" ? try object.relatedObject("hall")?.plainID : nil)
    }

    /// Creates the record of a part from the values of its object.
    init(part object: ManagedObject) throws {
        var values = try WarehouseSchema.Field.allCases.map { try object.value(forProperty: $0.attribute) }
        // In a table of the library all rows have the column of the subentity.
        if object.managedObjectContext?.container.model.entity(named: "Machine") != nil {
            values.append(
                object.entity.name == "Machine" ? try object.value(forProperty: "power") : .null)
        }
        self.init(
            id: object.plainID, kind: object.entity.name, values: values,
            target: try object.relatedObject("shelf")?.plainID)
    }
}
