import SectionedFetch

/// The plain values of one object, from its row or with its unsaved changes.
struct Record: Equatable {
    /// The object's plain ID. The entity of all parts is “Part” in it.
    var id: ObjectID
    /// The name of its entity.
    var kind: String
    /// The values of its attributes, in the order of ``WarehouseSchema/Field``.
    var values: [StoredValue]
    /// The target of its relationship to one.
    var target: ObjectID?
}

/// All rows that a list may read, at one moment.
struct Inventory {
    var parts: [ObjectID: Record] = [:]
    var shelves: [ObjectID: Record] = [:]
    var halls: [ObjectID: Record] = [:]
    /// The words of the tags of each part that has any.
    var words: [ObjectID: Set<String>] = [:]

    /// The shelf of a part.
    func shelf(of part: Record) -> Record? { part.target.flatMap { shelves[$0] } }

    /// The hall of a part's shelf.
    func hall(of part: Record) -> Record? { shelf(of: part)?.target.flatMap { halls[$0] } }

    /// Returns the record of a row of a part, a shelf or a hall.
    func record(_ id: ObjectID) -> Record? { parts[id] ?? shelves[id]?.asPart ?? halls[id]?.asPart }

    /// Returns the records of some entities with the position of the entity that each belongs to.
    func records(of entityNames: [String]) -> [(record: Record, member: Int)] {
        entityNames.enumerated().flatMap { member, name in
            let records =
                switch name {
                case "Part": Array(parts.values)
                case "Shelf": shelves.values.map(\.asPart)
                case "Hall": halls.values.map(\.asPart)
                default: parts.values.filter { $0.kind == name }
                }
            return records.map { ($0, member) }
        }
    }

    /// The identities of the saved parts in the order of their keys, so that a seed chooses the same ones
    /// again.
    var savedParts: [ObjectID] { Self.ordered(parts) }
    /// The identities of the saved shelves in the order of their keys.
    var savedShelves: [ObjectID] { Self.ordered(shelves) }
    /// The identities of the saved halls in the order of their keys.
    var savedHalls: [ObjectID] { Self.ordered(halls) }

    private static func ordered(_ records: [ObjectID: Record]) -> [ObjectID] {
        records.keys.filter { !$0.isUnsaved }.sorted { ($0.primaryKey ?? 0) < ($1.primaryKey ?? 0) }
    }
}

extension Record {
    /// The record of a shelf or hall with its values in the positions of a part's values.
    var asPart: Record {
        var record = self
        record.values = WarehouseSchema.Field.allCases.map { field in
            switch field {
            case .name: values[0]
            case .note: values[1]
            default: .null
            }
        }
        return record
    }
}

/// The values of a row that the list reads.
struct RowContent: Equatable {
    let part: Record
    /// The shelf, if the list reads it.
    let shelf: Record?
    /// The hall, if the list reads it.
    let hall: Record?
    /// The words of the part's tags, if the list shows them.
    var words: Set<String> = []
}

extension RowContent {
    /// Returns the names of the properties that differ from those of another content of the same part. Those
    /// of related objects are key paths.
    func differences(from other: RowContent) -> Set<String> {
        var names: Set<String> = []
        for field in WarehouseSchema.Field.allCases where part[field] != other.part[field] {
            names.insert(field.attribute)
        }
        if words != other.words { names.insert("tags") }
        guard part.target == other.part.target else {
            return names.union([part.kind == "Shelf" ? "hall" : "shelf"])
        }
        guard let shelf, let otherShelf = other.shelf else { return names }
        for (position, name) in ["name", "note"].enumerated() {
            if shelf.values[position] != otherShelf.values[position] { names.insert("shelf.\(name)") }
            if let hall, let otherHall = other.hall, shelf.target == otherShelf.target,
                hall.values[position] != otherHall.values[position]
            {
                names.insert("shelf.hall.\(name)")
            }
        }
        if shelf.target != otherShelf.target { names.insert("shelf.hall") }
        return names
    }
}

extension ObjectID {
    /// The plain ID, which is unique in one table. It leaves out the sub-entity, because that of a
    /// deleted row may be unknown, and it has a key for unsaved objects as well.
    var plain: ObjectID { ObjectID(entityName: tableName, primaryKey: unsavedKey) }

    /// The name of the entity whose table has the object.
    var tableName: String { entityName == "Machine" ? "Part" : entityName }

    /// Whether a plain ID belongs to an object that was never saved.
    var isUnsaved: Bool { unsavedKey >= ObjectID.firstUnsavedKey }
}

extension ManagedObject {
    /// The plain ID of the object, with the entity of its table.
    var plainID: ObjectID { objectID.plain }
}
