import InternalUtilities

/// What the objects of one entity in one context share.
final class EntityRuntime {
    /// The entity.
    let description: EntityDescription
    /// What an object's values are, each in its *slot*.
    let slotNames: [String]
    /// What a save checks of the attributes, which have the first slots.
    let checks: [ValueCheck]
    /// The slots and names of to-one relationships that must lead somewhere.
    let requiredToOneRelationships: [(slot: Int, name: String)]
    /// How many slots there are. Transient attributes have slots beyond.
    let numberOfSlots: Int
    /// Set for prototypes only.
    let recorder: KeyPathRecorder?
    /// The objects of the context whose rows are in the entity's table.
    let registry: ObjectRegistry
    /// The identities of objects that were never saved; nil for prototypes.
    let identities: TemporaryIdentities?
    /// How rows of the entity and its sub-entities are read in one statement; nil for an entity without such.
    let family: HierarchyColumns?
    /// The context; nil for prototypes, and when it is gone.
    private(set) weak var context: ManagedObjectContext?
    /// Whether one statement may insert several rows: its parameters are not too many, and the table is the
    /// store's own.
    var canInsertSeveral: Bool {
        !isOfExistingTable && (numberOfSlots + 1) * RowWriter.severalRows <= 999
    }
    /// Whether the context has an undo manager.
    var recordsUndo: Bool
    /// Where the objects lead; nil until looking through them became dear.
    var references: ReferenceTable?
    /// How many objects were looked through for want of the table.
    var numberLookedThrough = 0
    /// The values of a new object.
    let initialValues: [StoredValue]
    /// The statements that read and write single rows.
    lazy var statements = RowStatements(of: description)
    /// For each to-one relationship the name of its inverse, if that leads to one object, too.
    private(set) lazy var toOneInverses: [String?] = description.toOneRelationships.map { relationship in
        let destination = context?.container.model.entity(named: relationship.destinationEntityName)
        guard let name = relationship.inverseName, let inverse = destination?.relationship(named: name),
            !inverse.isToMany
        else { return nil }
        return name
    }
    /// The slots of places in orders, by the names of the to-one relationships. Each object of a list is
    /// asked for its own.
    private lazy var orderSlots: [(name: String, slot: Int)] = description.orderedToOneNames.compactMap {
        name in
        place(ofPropertyNamed: EntityDescription.orderColumnName(ofToOneNamed: name)).map { (name, $0) }
    }
    /// Whether any relationship leads from one to one.
    private(set) lazy var hasPartners = toOneInverses.contains { $0 != nil }
    /// The names of the properties by the place that their wrappers have in a prototype; set for prototypes
    /// only.
    var shape: PropertyLayout?
    /// The names of all properties with their places. An array, because entities have few properties and a
    /// dictionary of names would have its type made when a program starts.
    private let places: [(name: String, place: Int)]
    /// Whether the rows are in somebody else's table, and their values perhaps in other forms.
    let isOfExistingTable: Bool
    /// Whether any attribute keeps large values out of the row.
    let hasExternalAttributes: Bool
    private let storageTable = PropertyStorageTable()
    private lazy var prototype = ManagedObject.prototype(
        of: description.objectType, recorder: KeyPathRecorder())

    init(
        _ description: EntityDescription, of context: ManagedObjectContext?, registry: ObjectRegistry,
        family: HierarchyColumns? = nil, recorder: KeyPathRecorder? = nil
    ) {
        self.description = description
        self.registry = registry
        self.family = family
        self.context = context
        identities = context?.container.temporaryIdentities
        recordsUndo = context?.undoManager != nil
        self.recorder = recorder
        slotNames = description.slotNames
        numberOfSlots = slotNames.count
        checks = description.storedAttributes.map(ValueCheck.init)
        let first = description.storedAttributes.count
        requiredToOneRelationships = description.toOneRelationships.enumerated()
            .filter { !$0.element.isOptional }.map { (slot: first + $0.offset, name: $0.element.name) }
        initialValues =
            description.storedAttributes.map(\.defaultValue)
            + Array(repeating: .null, count: slotNames.count - description.storedAttributes.count)
        isOfExistingTable = description.mapping != nil
        hasExternalAttributes = description.storedAttributes.contains(where: \.allowsExternalStorage)
        var places = slotNames.enumerated().map { (name: $1, place: $0) }
        if description.storedAttributes.count < description.attributes.count {
            for attribute in description.attributes where attribute.isTransient {
                places.append((attribute.name, places.count))
            }
        }
        for (position, relationship) in description.relationships.enumerated() where relationship.isToMany {
            places.append((relationship.name, -1 - position))
        }
        self.places = places
    }

    /// The slot of the column called `name`, a slot beyond all columns for a transient attribute, or −1 − *p*
    /// for the to-many relationship at position *p*.
    func place(ofPropertyNamed name: String) -> Int? { places.first { $0.name == name }?.place }

    /// Makes the objects belong to no context any more.
    func detach() { (context, recordsUndo) = (nil, false) }

    /// The name of the attribute or to-one relationship with a slot.
    func name(ofSlot slot: Int) -> String { places[slot].name }

    /// The same for the property whose wrapper is stored at `storage`, if it was asked for before.
    func knownSortKey(ofStorage storage: AnyKeyPath) -> Int? { storageTable.place(of: storage) }

    /// Finds the place of a property that was not asked for before.
    ///
    /// - Parameter wrapperPlace: Gives the place that the property's wrapper has in a prototype.
    func learnSortKey(ofStorage storage: AnyKeyPath, wrapperPlace: (ManagedObject) -> Int) -> Int {
        let name = prototype.nameOfProperty(at: wrapperPlace(prototype))
        guard let place = place(ofPropertyNamed: name) else {
            preconditionFailure(
                "\(description.objectType) has a property “\(name)” that entity “\(description.name)” of the context's model lacks. "
                    + NearestName.suggestion(for: name, among: places.map(\.name)))
        }
        storageTable.insert(storage, place: place)
        return place
    }

    /// The slots of attributes that keep large values out of the row.
    var externalSlots: [Int] {
        guard hasExternalAttributes else { return [] }
        return description.storedAttributes.indices.filter {
            description.storedAttributes[$0].allowsExternalStorage
        }
    }

    /// The slot of the to-one relationship called `name`.
    func slot(ofToOneNamed name: String) -> Int? {
        place(ofPropertyNamed: name).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The slot of the place in the order of the inverse of the to-one relationship called `name`.
    func slot(ofOrderOf name: String) -> Int? { orderSlots.first { $0.name == name }?.slot }

    /// The object of this context with this key, if it is alive and of the entity or a sub-entity.
    func object(forKey key: Int64) -> ManagedObject? {
        guard let object = registry.object(forKey: key) else { return nil }
        return object.runtime === self || object.entity.isKind(ofEntityNamed: description.name) ? object : nil
    }

    /// The same runtime, if the entity can have new objects.
    func forInsertion() throws(ObjectStorageError) -> EntityRuntime {
        guard !description.isAbstract else { throw description.isAbstractError }
        return self
    }
}
