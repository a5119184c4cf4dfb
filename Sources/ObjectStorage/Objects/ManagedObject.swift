/// One object of a store: a row that is loaded when it is first looked at, changed in memory, and saved by
/// its context.
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
/// compiler refuses to share it. Pass an ``ObjectID`` instead. There is one object for one row in a context.
///
/// A property cannot throw. When a row cannot be read, because it was deleted elsewhere or holds a value of
/// another type, its properties show their placeholders and ``readError`` says why.
open class ManagedObject {
    /// What a new object is made of. Only a context has one.
    public struct Seed {
        let runtime: EntityRuntime
        let key: ObjectID.Key
    }

    enum State {
        case clean
        case inserted
        case updated
        case deleted
        /// Deleted and saved, or inserted and rolled back: there is no row any more.
        case gone
    }

    /// The name of the entity of this class: the class's name unless overridden.
    open class var entityName: String {
        // What `String(describing:)` says as well, but that first looks for conformances that a class does
        // not have.
        _typeName(Self.self, qualified: false)
    }

    /// The name that the entity of this class had in an earlier version of the model, if that was another:
    /// nil unless overridden.
    ///
    /// A store that was made with that version keeps its objects under the new name, and what leads to them.
    ///
    /// ```swift
    /// final class Recording: ManagedObject {
    ///     override class var renamingIdentifier: String? { "Track" }
    /// }
    /// ```
    open class var renamingIdentifier: String? { nil }

    /// Somebody else's table that the rows of this class are in; nil, unless overridden, for a table of the
    /// store's own.
    open class var existingTable: ExistingTable? { nil }

    /// Whether the entity of this class has no objects of its own, only those of its sub-entities: false
    /// unless overridden.
    ///
    /// A subclass inherits what its superclass says, so let that be about the superclass alone:
    ///
    /// ```swift
    /// class Media: ManagedObject {
    ///     override class var isAbstractEntity: Bool { self == Media.self }
    /// }
    /// ```
    open class var isAbstractEntity: Bool { false }

    final let runtime: EntityRuntime
    /// The number in the object's identity.
    private final var number: UInt64
    private final var isTemporary: Bool
    final var state = State.clean
    /// Whether the context lists the object among those with unsaved changes.
    final var isPending = false
    /// Whether a relationship kept in a link table has unsaved changes.
    final var hasChangedLinks = false
    /// Whether a save that has begun has told the object.
    final var isToldOfSave = false
    /// Whether the values are yet to be read.
    final var isFault = true
    /// Where in ``page`` the row is.
    final var row: UInt32 = 0
    /// The place among the new objects that are being saved.
    final var placeInSave: UInt32 = 0
    /// The page with the row's bytes; nil for a fault, and for an object whose values were made of it.
    final var page: RowPage?
    /// The values that were made of the row, or set.
    // Checking each change for others at the same time costs more than the change. SAFETY: an object is
    // confined to one isolation, and nothing that changes values calls foreign code meanwhile.
    @exclusivity(unchecked) final var madeValues: [StoredValue] = []
    /// What few objects have.
    final var details: ObjectDetails?

    /// Called by contexts. A subclass that declares its properties with initial values inherits it.
    public required init(_ seed: Seed) {
        runtime = seed.runtime
        (number, isTemporary) = seed.key.parts
    }

    /// Inserts a new object of this class into `context`.
    ///
    /// The context's model must have the class's entity, which must not be abstract; anything else is a
    /// programmer's error and traps. ``ManagedObjectContext/insert(_:)`` is the same with a typed error.
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

    /// Called once for a new object of the context, to give properties values that are no constants.
    ///
    /// An insertion that is undone and done again, a save to a parent context, and a batch are none.
    /// Does nothing unless overridden.
    open func awakeFromInsert() {}

    /// Called when the object is deleted, before anything that leads to it forgets it: while its
    /// relationships can still be followed. For what a delete rule deletes, that is when the changes are
    /// processed or saved.
    ///
    /// Neither an undo of the insertion nor a batch is a deletion. Does nothing unless overridden.
    open func prepareForDeletion() {}

    /// Called when the context begins to save the object's insertion, changes or deletion.
    ///
    /// What this changes, inserts and deletes is saved as well; each object is called once in a save,
    /// whatever else happens to it. To save the context from here is an error. Does nothing unless
    /// overridden.
    open func willSave() {}

    /// Called when a save of the object is over and others were told. What this changes is for the next save.
    ///
    /// Does nothing unless overridden.
    open func didSave() {}

    /// Called in a save of a new object, once its values are known to follow the rules of their attributes.
    /// Changes nothing.
    ///
    /// - Throws: ``ObjectStorageError``, best with ``ObjectStorageError/Code/invalidValue``: then nothing is
    ///   saved.
    open func validateForInsert() throws(ObjectStorageError) {}

    /// The same for an object of which values or links changed.
    open func validateForUpdate() throws(ObjectStorageError) {}

    /// The same for an object that is deleted.
    open func validateForDelete() throws(ObjectStorageError) {}

    deinit {
        if runtime.recorder == nil, let key = rowKey { runtime.registry.forget(self, key: key) }
    }
}

extension ManagedObject {
    /// The object's identity, temporary until the first save.
    public final var objectID: ObjectID {
        ObjectID(entityName: runtime.description.name, key: identityKey, of: runtime.identities)
    }

    /// The key in the identity. Of an unsaved object it costs less than the identity, which has to lead to
    /// the object later.
    final var identityKey: ObjectID.Key {
        get { ObjectID.Key(number, isTemporary: isTemporary) }
        set { (number, isTemporary) = newValue.parts }
    }

    /// The context that the object belongs to, while that exists.
    public final var managedObjectContext: ManagedObjectContext? { runtime.context }
}

extension ManagedObject: Hashable {
    /// Objects are equal when they are the same object; a context has one for each row.
    public static func == (first: ManagedObject, second: ManagedObject) -> Bool { first === second }

    /// Hashes the object's identity in memory.
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
    /// stands for an unsaved object of the parent.
    package final var rowKey: Int64? {
        if !isTemporary { return Int64(bitPattern: number) }
        return state == .inserted || state == .gone ? nil : identityKey.unsavedKey
    }

    /// Whether a value differs from the one that was read.
    final var hasChangedValues: Bool {
        guard let committedValues else { return false }
        // One that is gone is as good as none.
        return values != committedValues || assignedReferences.values.contains { $0.state != .gone }
    }
}
