import InternalUtilities

/// The state that all objects of one entity in one context share.
final class EntityRuntime {
    /// The entity.
    let description: EntityDescription
    /// The names of an object's stored properties, by *slot*.
    let slotNames: [String]
    /// The class of the objects. Kept, because the description casts a metatype on each access.
    let objectType: ManagedObject.Type
    /// The checks that a save makes of the attributes. Attributes have the first slots.
    let checks: [ValueCheck]
    /// The slots and names of required to-one relationships.
    let requiredToOneRelationships: [(slot: Int, name: String)]
    /// The number of stored slots. Transient attributes have the slots after these.
    let numberOfSlots: Int
    /// The recorder of property reads; set for prototypes only.
    let recorder: KeyPathRecorder?
    /// The objects of the context whose rows are in the entity's table.
    let registry: ObjectRegistry
    /// The temporary identities of objects that were never saved; nil for prototypes.
    let identities: TemporaryIdentities?
    /// The columns that read rows of the entity and its sub-entities in one statement; nil without
    /// sub-entities.
    let family: HierarchyColumns?
    /// The context; nil for prototypes, and after the context was deallocated or reset.
    private(set) weak var context: ManagedObjectContext?
    /// Whether one statement may insert several rows: it has at most 999 parameters, and the table is not an
    /// external table of another program.
    var canInsertSeveral: Bool {
        !isOfExistingTable && (numberOfSlots + 1) * RowWriter.severalRows <= 999
    }
    /// Whether the context has an undo manager.
    var recordsUndo: Bool
    /// The context's ``ManagedObjectContext/readEpoch``, modulo 65,536.
    var readEpoch: UInt16
    /// The index of to-one references; nil until scanning the objects has cost more than building it.
    var references: ReferenceTable?
    /// The number of objects scanned so far because the index does not exist.
    var numberLookedThrough = 0
    /// The values of a new object.
    let initialValues: [StoredValue]
    /// The statements that read and write single rows.
    lazy var statements = RowStatements(of: description)
    /// The name of each to-one relationship's inverse, if the inverse is to-one as well.
    private(set) lazy var toOneInverses: [String?] = description.toOneRelationships.map { relationship in
        let destination = context?.container.model.entity(named: relationship.destinationEntityName)
        guard let name = relationship.inverseName, let inverse = destination?.relationship(named: name),
            !inverse.isToMany
        else { return nil }
        return name
    }
    /// The slots of positions in ordered relationships, with the names of the to-one relationships whose
    /// inverses are ordered. Each object of the list stores its own position.
    private lazy var orderSlots: [(name: String, slot: Int)] = description.orderedToOneNames.compactMap {
        name in
        slot(ofPropertyNamed: EntityDescription.orderColumnName(ofToOneNamed: name)).map { (name, $0) }
    }
    /// Whether the entity has a one-to-one relationship.
    private(set) lazy var hasPartners = toOneInverses.contains { $0 != nil }
    /// The declared properties by the position of their wrappers in a prototype; set for prototypes only.
    var layout: PropertyLayout?
    /// The names of all properties with their slots. An array, because entities have few properties, and a
    /// dictionary would need its generic type instantiated at launch.
    private let propertySlots: [(name: String, slot: Int)]
    /// Whether the rows are in an external table, where values may be stored in other forms.
    let isOfExistingTable: Bool
    /// Whether any attribute stores large values outside the row.
    let hasExternalAttributes: Bool
    /// Whether any attribute of an external table has large values in files beside the store.
    let hasExternalFiles: Bool
    /// The slots of derived attributes. Their values are never in conflict, because each save computes them.
    private(set) lazy var derivedSlots: [Int] = description.storedAttributes.indices.filter {
        description.storedAttributes[$0].derivation != nil
    }
    /// The slot of the row's change counter; nil if the table has none.
    let versionSlot: Int?
    /// The slots of attributes whose values triggers of an external table compute or change. Updates omit
    /// them.
    private(set) lazy var computedSlots: [Int] = {
        guard let rules = description.rowRules else { return [] }
        let names = rules.computedAttributes.union(rules.triggeredAttributes)
        return description.storedAttributes.indices.filter {
            names.contains(description.storedAttributes[$0].name)
        }
    }()
    /// The slots whose values an external table's triggers or its change counter determine.
    var externallyComputedSlots: [Int] { computedSlots + (versionSlot.map { [$0] } ?? []) }
    private let storageTable = PropertyStorageTable()
    private lazy var prototype = ManagedObject.prototype(
        of: objectType, recorder: KeyPathRecorder())

    init(
        _ description: EntityDescription, of context: ManagedObjectContext?, registry: ObjectRegistry,
        family: HierarchyColumns? = nil, recorder: KeyPathRecorder? = nil
    ) {
        self.description = description
        objectType = description.objectType
        self.registry = registry
        self.family = family
        self.context = context
        identities = context?.container.temporaryIdentities
        recordsUndo = context?.undoManager != nil
        readEpoch = UInt16(truncatingIfNeeded: context?.readEpoch ?? 0)
        self.recorder = recorder
        slotNames = description.slotNames
        numberOfSlots = slotNames.count
        checks = description.storedAttributes.map(ValueCheck.init)
        let first = description.storedAttributes.count
        requiredToOneRelationships = description.toOneRelationships.enumerated()
            .filter { !$0.element.isOptional }.map { (slot: first + $0.offset, name: $0.element.name) }
        versionSlot = description.rowRules == nil ? nil : slotNames.count - 1
        var initialValues =
            description.storedAttributes.map(\.defaultValue)
            + Array(repeating: .null, count: slotNames.count - description.storedAttributes.count)
        if let versionSlot { initialValues[versionSlot] = .integer(1) }
        self.initialValues = initialValues
        isOfExistingTable = description.mapping != nil
        hasExternalAttributes = description.storedAttributes.contains(where: \.allowsExternalStorage)
        hasExternalFiles = description.mapping?.table.forms.values.contains(.prefixedBytes) ?? false
        var propertySlots = slotNames.enumerated().map { (name: $1, slot: $0) }
        if description.storedAttributes.count < description.attributes.count {
            for attribute in description.attributes where attribute.isTransient {
                propertySlots.append((attribute.name, propertySlots.count))
            }
        }
        for (position, relationship) in description.relationships.enumerated() where relationship.isToMany {
            propertySlots.append((relationship.name, -1 - position))
        }
        self.propertySlots = propertySlots
    }

    /// Returns the slot of the property called `name`: that of its column, one after all columns for a
    /// transient attribute, or −1 − *p* for the to-many relationship at position *p* of the entity's
    /// relationships.
    func slot(ofPropertyNamed name: String) -> Int? { propertySlots.first { $0.name == name }?.slot }

    /// Detaches the objects from their context.
    func detach() { (context, recordsUndo) = (nil, false) }

    /// Returns the name of the attribute or to-one relationship with a slot.
    func name(ofSlot slot: Int) -> String { propertySlots[slot].name }

    /// Returns the slot of the property whose wrapper is stored at `storage`, if
    /// ``findSlot(ofStorage:wrapperPosition:)`` has found it before.
    func knownSlot(ofStorage storage: AnyKeyPath) -> Int? { storageTable.slot(of: storage) }

    /// Finds the slot of a property at its first access.
    ///
    /// - Parameter wrapperPosition: Returns the position of the property's wrapper in a prototype.
    func findSlot(ofStorage storage: AnyKeyPath, wrapperPosition: (ManagedObject) -> Int) -> Int {
        let name = prototype.nameOfProperty(at: wrapperPosition(prototype))
        guard let slot = slot(ofPropertyNamed: name) else {
            preconditionFailure(
                "\(objectType) has a property “\(name)” that entity “\(description.name)” of the context's model lacks. "
                    + NearestName.suggestion(for: name, among: propertySlots.map(\.name)))
        }
        storageTable.insert(storage, slot: slot)
        return slot
    }

    /// The slots of attributes that store large values outside the row.
    var externalSlots: [Int] {
        guard hasExternalAttributes else { return [] }
        return description.storedAttributes.indices.filter {
            description.storedAttributes[$0].allowsExternalStorage
        }
    }

    /// Returns the slot of the to-one relationship called `name`.
    func slot(ofToOneNamed name: String) -> Int? {
        slot(ofPropertyNamed: name).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Returns the slot of the object's position in the ordered inverse of the to-one relationship called
    /// `name`.
    func slot(ofOrderOf name: String) -> Int? { orderSlots.first { $0.name == name }?.slot }

    /// Returns the object of this context with a primary key, if it is in memory and of the entity or a
    /// sub-entity.
    func object(forKey key: Int64) -> ManagedObject? {
        guard let object = registry.object(forKey: key) else { return nil }
        return object.runtime === self || object.entity.isKind(ofEntityNamed: description.name) ? object : nil
    }

    /// Returns this runtime, or throws an error if the entity is abstract and cannot have objects.
    func forInsertion() throws(ObjectStorageError) -> EntityRuntime {
        guard !description.isAbstract else { throw description.isAbstractError }
        return self
    }
}
