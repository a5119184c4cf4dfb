/// One object of a store: a row that is loaded when it is first looked at, changed in memory, and saved by its context.
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
/// An object belongs to one context and is confined to its isolation: the class is not `Sendable`, so the compiler
/// refuses to share it. Pass an ``ObjectID`` instead. There is one object for one row in a context.
///
/// A property cannot throw. When a row cannot be read, because it was deleted elsewhere or holds a value of another
/// type, its properties show their placeholders and ``readError`` says why.
open class ManagedObject {
    /// What a new object is made of. Only a context has one.
    public struct Seed {
        let runtime: EntityRuntime
        let objectID: ObjectID
        let context: ManagedObjectContext?
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
        // What `String(describing:)` says as well, but that first looks for conformances that a class does not have.
        _typeName(Self.self, qualified: false)
    }

    /// Whether the entity of this class has no objects of its own, only those of its sub-entities: false unless overridden.
    ///
    /// A subclass inherits what its superclass says, so let that be about the superclass alone:
    ///
    /// ```swift
    /// class Media: ManagedObject {
    ///     override class var isAbstractEntity: Bool { self == Media.self }
    /// }
    /// ```
    open class var isAbstractEntity: Bool { false }

    /// The object's identity, temporary until the first save.
    public internal(set) final var objectID: ObjectID
    /// The context that the object belongs to, while that exists.
    public internal(set) final weak var managedObjectContext: ManagedObjectContext?
    /// Why the object's values could not be read, after a property showed a placeholder for that reason.
    public internal(set) final var readError: ObjectStorageError?

    final let runtime: EntityRuntime
    final var state = State.clean
    /// Whether the context lists the object among those with unsaved changes.
    final var isPending = false
    /// Whether a relationship kept in a link table has unsaved changes.
    final var hasChangedLinks = false
    /// Whether the values are yet to be read.
    final var isFault = true
    /// The values by slot; of no meaning while the object is a fault.
    final var values: [StoredValue] = []
    /// The values of transient attributes, whose slots come after the columns'; nil while none was set.
    final var transientValues: [StoredValue]?
    /// The values as they were read, while the object has unsaved changes.
    final var committedValues: [StoredValue]?
    /// The objects assigned to to-one relationships since the last save, by slot. Their keys may not be known yet.
    final var assignedReferences: [Int: ManagedObject] = [:]
    /// Rows of related objects that were read with this one.
    final var prefetched: PrefetchedRows?

    /// Called by contexts. A subclass that declares its properties with initial values inherits it.
    public required init(_ seed: Seed) {
        runtime = seed.runtime
        objectID = seed.objectID
        managedObjectContext = seed.context
    }

    /// Inserts a new object of this class into `context`.
    ///
    /// The context's model must have the class's entity, which must not be abstract; anything else is a programmer's error and traps.
    /// ``ManagedObjectContext/insert(_:)`` is the same with a typed error.
    public convenience init(context: ManagedObjectContext) {
        let runtime: EntityRuntime
        do {
            runtime = try context.runtime(of: Self.self).forInsertion()
        } catch {
            preconditionFailure(error.message)
        }
        self.init(context.seedForInsertion(runtime))
        context.register(inserted: self)
    }

    deinit {
        if runtime.recorder == nil, let key = rowKey { runtime.registry.forget(self, key: key) }
    }
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

    /// The key by which the context finds the object's row: the primary key, or in a child context a key that stands for an
    /// unsaved object of the parent.
    package final var rowKey: Int64? {
        if let key = objectID.primaryKey { return key }
        return state == .inserted || state == .gone ? nil : objectID.unsavedKey
    }

    /// Whether a value differs from the one that was read.
    final var hasChangedValues: Bool {
        guard let committedValues else { return false }
        return values != committedValues || !assignedReferences.isEmpty
    }
}
