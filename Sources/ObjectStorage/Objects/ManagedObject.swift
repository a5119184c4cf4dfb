/// An object of a store: a row that is loaded on first access, changed in memory, and saved by its context.
///
/// Declare each property once, in a subclass:
///
/// ```swift
/// final class Artwork: ManagedObject {
///     @Attribute var title: String = ""
///     @Attribute(.indexed) var year: Int32?
///     @Relationship(inverse: \Artist.artworks) var artist: Artist?
/// }
/// ```
///
/// An object belongs to one context and is confined to its isolation: the class is not `Sendable`, so the
/// compiler refuses to share it. Pass an ``ObjectID`` instead. A context has one object for each row.
///
/// A property cannot throw. If a row cannot be read, because it was deleted elsewhere or contains a value of
/// another type, the properties return placeholders and ``readError`` describes the failure.
open class ManagedObject {
    /// The data that a context passes to an object's initializer.
    public struct Seed {
        let runtime: EntityRuntime
        let key: ObjectID.Key
    }

    enum State {
        case clean
        case inserted
        case updated
        case deleted
        /// Deleted and saved, or inserted and rolled back: the object no longer has a row.
        case gone
    }

    /// The name of the entity of this class: the class's name unless overridden.
    open class var entityName: String {
        // The same string as `String(describing:)`, which would first look for conformances that the class
        // does not have.
        _typeName(Self.self, qualified: false)
    }

    /// The name that the entity of this class had in an earlier version of the model: nil unless overridden.
    ///
    /// A store created with that version keeps its objects, under the new name, and the links to them.
    ///
    /// ```swift
    /// final class Recording: ManagedObject {
    ///     override class var renamingIdentifier: String? { "Track" }
    /// }
    /// ```
    open class var renamingIdentifier: String? { nil }

    /// The external table that holds the rows of this class; nil, unless overridden, for a table that the
    /// store creates.
    open class var existingTable: ExistingTable? { nil }

    /// Whether the entity of this class is abstract, so that only its sub-entities have objects: false unless
    /// overridden.
    ///
    /// A subclass inherits its superclass's value, so the implementation should compare with the superclass:
    ///
    /// ```swift
    /// class Media: ManagedObject {
    ///     override class var isAbstractEntity: Bool { self == Media.self }
    /// }
    /// ```
    open class var isAbstractEntity: Bool { false }

    final let runtime: EntityRuntime
    /// The number in the object's identity: the bits of a primary key, or a temporary number.
    private final var number: UInt64
    private final var isTemporary: Bool
    final var state = State.clean
    /// Whether the context lists the object among those with unsaved changes.
    final var isPending = false
    /// Whether a relationship kept in a link table has unsaved changes.
    final var hasChangedLinks = false
    /// Whether ``willSave()`` was called on the object in the save that is running.
    final var isNotifiedOfSave = false
    /// Whether the values have not been read yet.
    final var isFault = true
    /// The ``ManagedObjectContext/readEpoch`` in which the row was read, modulo 65,536.
    final var readEpoch: UInt16 = 0
    /// The byte offset of the row in ``page``.
    final var row: UInt32 = 0
    /// The position among the new objects that are being saved.
    final var positionInSave: UInt32 = 0
    /// The page with the row's bytes; nil for a fault, and for an object whose values were created from it.
    final var page: RowPage?
    /// The values that were created from the row, or set.
    // Dynamic exclusivity checks would cost more than the changes themselves. SAFETY: an object is confined
    // to one isolation, and no code that changes values calls foreign code during the change.
    @exclusivity(unchecked) final var madeValues: [StoredValue] = []
    /// State that only some objects need.
    final var details: ObjectDetails?

    /// Creates an object. Only contexts call this; a subclass whose properties have initial values inherits
    /// it.
    ///
    /// - Parameter seed: The entity and the key of the object.
    public required init(_ seed: Seed) {
        runtime = seed.runtime
        (number, isTemporary) = seed.key.parts
    }

    /// Inserts a new object of this class into `context`.
    ///
    /// The context's model must contain the class's entity, which must not be abstract; otherwise it is a
    /// programming error and traps. ``ManagedObjectContext/insert(_:)`` throws a typed error instead.
    ///
    /// - Parameter context: The context that owns the object.
    public convenience init(context: ManagedObjectContext) {
        let runtime: EntityRuntime
        do {
            runtime = try context.runtime(of: Self.self).forInsertion()
        } catch {
            preconditionFailure(error.message)
        }
        self.init(context.seedForInsertion(runtime))
        context.register(inserted: self)
        awakeFromInsert()
    }

    /// Called once for an object that was inserted into a context, to set properties to values that are not
    /// constants.
    ///
    /// Not called when an insertion is redone, when a child context saves to its parent, or for a batch
    /// insert. Does nothing unless overridden.
    open func awakeFromInsert() {}

    /// Called when the object is deleted, while its relationships can still be followed: before references to
    /// it are cleared. For an object that a delete rule deletes, this is when the changes are processed or
    /// saved.
    ///
    /// Not called when an insertion is undone, or for a batch delete. Does nothing unless overridden.
    open func prepareForDeletion() {}

    /// Called when the context begins to save the object's insertion, changes or deletion.
    ///
    /// Changes, insertions and deletions made here are saved as well. The method is called once per object
    /// and save, regardless of further changes. Saving the context from here is an error. Does nothing unless
    /// overridden.
    open func willSave() {}

    /// Called when a save of the object has completed and observers were notified. Changes made here belong
    /// to the next save.
    ///
    /// Does nothing unless overridden.
    open func didSave() {}

    /// Called in a save of a new object, after its values passed their attributes' rules. The method must not
    /// change anything.
    ///
    /// - Throws: ``ObjectStorageError``, preferably with ``ObjectStorageError/Code/invalidValue``; nothing is
    ///   saved then.
    open func validateForInsert() throws(ObjectStorageError) {}

    /// Called in a save of an object whose values or links changed, after its values passed their attributes'
    /// rules. The method must not change anything.
    ///
    /// - Throws: As ``validateForInsert()``.
    open func validateForUpdate() throws(ObjectStorageError) {}

    /// Called in a save of a deleted object. The method must not change anything.
    ///
    /// - Throws: As ``validateForInsert()``.
    open func validateForDelete() throws(ObjectStorageError) {}

    deinit {
        guard runtime.recorder == nil,
            let key = isTemporary ? rowKey : Int64(bitPattern: number)
        else { return }
        runtime.registry.forget(self, key: key)
    }
}

extension ManagedObject {
    /// The object's identity, temporary until the first save or
    /// ``ManagedObjectContext/obtainPermanentIDs(for:)``.
    public final var objectID: ObjectID {
        ObjectID(entityName: runtime.description.name, key: identityKey, of: runtime.identities)
    }

    /// The key in the identity. For an unsaved object it is cheaper to obtain than the identity, which must
    /// be able to find the object later.
    final var identityKey: ObjectID.Key {
        get { ObjectID.Key(number, isTemporary: isTemporary) }
        set { (number, isTemporary) = newValue.parts }
    }

    /// Gives a new object the identity that it will have after its save.
    final func reserve(_ key: ObjectID.Key) {
        let previous = identityKey
        identityKey = key
        if case .temporary(let number) = previous {
            noteReservation(formerly: number)
        } else {
            noteReservation()
        }
    }

    /// The context that the object belongs to; nil once the context is deallocated or reset.
    public final var managedObjectContext: ManagedObjectContext? { runtime.context }
}

extension ManagedObject: Hashable {
    /// Returns whether two references are to the same object; a context has one object for each row.
    ///
    /// - Parameters:
    ///   - first: An object.
    ///   - second: An object to compare it with.
    public static func == (first: ManagedObject, second: ManagedObject) -> Bool { first === second }

    /// Hashes the object's address.
    ///
    /// - Parameter hasher: The hasher, which receives the address.
    public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject: CustomStringConvertible {
    /// The object's identity and state, without reading anything.
    public final var description: String {
        "<\(objectID)\(isFault ? ", fault" : "")\(state == .clean ? "" : ", \(state)")>"
    }
}

extension ManagedObject {
    /// The entity.
    public final var entity: EntityDescription { runtime.description }
    /// Whether the object was inserted and not yet saved.
    public final var isInserted: Bool { state == .inserted }
    /// Whether a saved object has unsaved changes.
    public final var isUpdated: Bool {
        switch state {
        case .updated: hasChangedValues || hasChangedLinks
        case .clean: hasChangedLinks
        case .inserted, .deleted, .gone: false
        }
    }
    /// Whether the object is deleted, saved or not.
    public final var isDeleted: Bool { state == .deleted || state == .gone }
    /// Whether a save would write something for this object.
    public final var hasChanges: Bool { state == .inserted || state == .deleted || isUpdated }

    /// The key by which the context finds the object's row: the primary key, or in a child context a key that
    /// represents an unsaved object of the parent.
    package final var rowKey: Int64? {
        // The row of a new object does not exist yet, even if its key is reserved.
        if !isTemporary { return state == .inserted ? nil : Int64(bitPattern: number) }
        return state == .inserted || state == .gone ? nil : identityKey.unsavedKey
    }

    /// Whether a value differs from the one that was read.
    final var hasChangedValues: Bool {
        guard let committedValues else { return false }
        // A reference to a deleted object counts as none.
        return values != committedValues || assignedReferences.values.contains { $0.state != .gone }
    }
}
