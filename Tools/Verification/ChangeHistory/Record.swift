import SectionedFetch

/// One object as its row, or as its unsaved changes have it, in plain values.
struct Record: Equatable {
    /// The object; a saved one is always called a part, whatever its entity.
    var id: ObjectID
    /// The name of its entity.
    var kind: String
    /// The values of its attributes, by the places of ``WarehouseSchema``.
    var values: [StoredValue]
    /// What its relationship to one leads to.
    var target: ObjectID?
}

/// Everything that a list may read, as of one moment.
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

/// What a row of a list shows, as far as the controller has to know.
struct RowContent: Equatable {
    let part: Record
    /// The shelf, if the list reads it.
    let shelf: Record?
    /// The hall, if the list reads it.
    let hall: Record?
}

extension ObjectID {
    /// The identity by which rows of one table are told apart: the entity does not matter, because of a row
    /// that is gone it may not be known, and an unsaved object has a key as well.
    func plain(_ entityName: String) -> ObjectID { ObjectID(entityName: entityName, primaryKey: unsavedKey) }

    /// The entity whose table the object is in.
    var tableName: String { entityName == "Machine" ? "Part" : entityName }

    /// Whether a plain identity is that of an object that was never saved.
    var isUnsaved: Bool { unsavedKey >= ObjectID.firstUnsavedKey }
}

extension ManagedObject {
    /// The plain identity: that of its table.
    var plainID: ObjectID { objectID.plain(objectID.tableName) }
}
