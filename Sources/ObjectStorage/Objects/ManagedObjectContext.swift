/// A unit of work over a store: objects read, changed and saved together.
///
/// A context has one object for each row that it has met, and keeps changes in memory until ``save()`` writes
/// them in one SQLite transaction or ``rollback()`` forgets them. It is confined to the isolation that made
/// it: the class is not `Sendable`, so the compiler refuses to share it or its objects.
///
/// The context holds objects with unsaved changes strongly and all others weakly.
public final class ManagedObjectContext {
    /// The opened store.
    public let container: PersistentContainer
    /// The context whose unsaved changes this one sees and saves to; nil for one that saves to the store.
    public let parent: ManagedObjectContext?
    /// The contexts that save to this one.
    var children: [ChildContext] = []
    /// What a save does with objects whose rows changed elsewhere since they were read.
    public var mergePolicy = MergePolicy.error
    /// What keeps changes to be undone; nil, as it is at first, for nothing.
    public var undoManager: UndoManager? {
        didSet { for runtime in runtimes { runtime.recordsUndo = undoManager != nil } }
    }
    /// What the objects of each entity share, for the entities that were used. An array, because they are
    /// few, and a dictionary would have its type made when a program starts.
    private(set) var runtimes: [EntityRuntime] = []
    /// The class of which an object was inserted last. To find the runtime of a class takes its name, which
    /// takes a while.
    private var lastUsed: (type: ObjectIdentifier, runtime: EntityRuntime)?
    private var pendingObjects = PendingObjects()
    /// The unsaved changes of relationships that are kept in tables of their own.
    var links: [PendingLinks] = []
    /// The ordered lists in which unsaved objects are to have a place still; made when there is one.
    var unpositionedMembers: UnpositionedMembers?
    /// The numbers that the temporary identities of new objects are to have.
    private var temporaryNumbers: ClosedRange<UInt64>?
    /// The objects of which a fetch found other values than were shown, since the last merge.
    var objectIDsReadAgain: Set<ObjectID> = []
    /// A number that is another whenever rows that were read ahead may no longer be what the context is to
    /// show.
    var storeGeneration: UInt64 = 0
    /// The state of the store that the context is pinned to; nil if it is not pinned, and for a child context.
    var pinnedGeneration: QueryGenerationToken?
    /// Whether a save has unpinned the context until its rows are written.
    var isPinOwed = false
    /// Whether the pin may keep other programs from writing.
    var mayBlockWriters = false
    /// Where the container leaves word of what others commit; made when first asked for.
    var mailbox: ContextMailbox?
    /// See `automaticallyMergesChanges`.
    var mergesAutomatically = false
    /// Has the changes of other programs come while changes are merged automatically.
    var automaticWatch: ExternalChangeMonitor?
    /// What goes on merging changes; nil if nobody holds it.
    weak var continuousMerging: ContinuousMerging?
    /// The states of the tables as of the last comparison with the store, with what the context saved and
    /// merged since.
    var mergedStates: [(tableName: String, state: [UInt8]?)]?
    /// The objects that are told right now that they are to be deleted.
    var objectsPreparedForDeletion: [ManagedObject] = []
    /// Whether the objects are told right now that they are to be saved.
    var isAnnouncingSave = false
    /// Whether observers may show unsaved changes, of which they heard or which a fetch found.
    var hasShownChanges = false
    /// Who hears of saves and merges.
    var observers: [ContextObserver] = []

    init(container: PersistentContainer, parent: ManagedObjectContext? = nil) {
        self.container = container
        self.parent = parent
    }

    deinit {
        // Objects that outlive their context must not find it half gone.
        for object in pending { object.isPending = false }
    }
}

extension ManagedObjectContext {
    /// What the context's objects of an entity share; nil for an entity that the model lacks.
    func runtime(ofEntityNamed name: String) -> EntityRuntime? {
        if let runtime = runtimes.first(where: { $0.description.name == name }) { return runtime }
        guard let description = container.model.entity(named: name) else { return nil }
        let registry =
            runtimes.first { $0.registry.tableName == description.tableName }?.registry
            ?? ObjectRegistry(
                tableName: description.tableName, hasKinds: description.hierarchy != nil)
        let family =
            description.hasSubentities ? HierarchyColumns(container.model.family(of: description)) : nil
        let runtime = EntityRuntime(description, of: self, registry: registry, family: family)
        runtimes.append(runtime)
        return runtime
    }

    /// Lets go of what the objects of each entity share, and with it of the objects.
    func detachRuntimes() {
        for runtime in runtimes { runtime.detach() }
        runtimes = []
        lastUsed = nil
    }

    /// The objects of the context that have rows, in no order.
    var registeredObjects: [ManagedObject] {
        var registries: [ObjectRegistry] = []
        for runtime in runtimes where !registries.contains(where: { $0 === runtime.registry }) {
            registries.append(runtime.registry)
        }
        return registries.flatMap(\.allObjects)
    }

    /// The same, with a typed error.
    func requireRuntime(ofEntityNamed name: String) throws(ObjectStorageError) -> EntityRuntime {
        if let runtime = runtime(ofEntityNamed: name) { return runtime }
        _ = try container.model.requireEntity(named: name)
        throw ObjectStorageError(.unknownEntity, "The model has no entity “\(name)”.", entityName: name)
    }

    /// The runtime of a class's entity, which the model must describe with this class.
    func runtime(of type: ManagedObject.Type) throws(ObjectStorageError) -> EntityRuntime {
        if let lastUsed, lastUsed.type == ObjectIdentifier(type) { return lastUsed.runtime }
        let runtime = try requireRuntime(ofEntityNamed: type.entityName)
        guard runtime.description.objectType == type else {
            throw ObjectStorageError(
                .invalidModel,
                "The container's model describes entity “\(type.entityName)” by the class \(runtime.description.objectType), not \(type). Open it with ManagedObjectModel(types:).",
                entityName: type.entityName)
        }
        lastUsed = (ObjectIdentifier(type), runtime)
        return runtime
    }
}

extension ManagedObjectContext {
    /// Inserts a new object of a class.
    ///
    /// - Throws: ``ObjectStorageError`` if the model does not have the class, or its entity is abstract.
    @discardableResult
    public func insert<Object: ManagedObject>(_ type: Object.Type) throws(ObjectStorageError) -> Object {
        // The class that is passed may inherit from the one that the caller's code names.
        let object = type.init(seedForInsertion(try runtime(of: type).forInsertion()))
        register(inserted: object)
        object.awakeFromInsert()
        return object
    }

    /// Inserts a new object of the entity called `name`.
    ///
    /// - Throws: ``ObjectStorageError`` with the nearest name if there is no such entity, and if it is
    ///   abstract.
    @discardableResult
    public func insert(entityNamed name: String) throws(ObjectStorageError) -> ManagedObject {
        let runtime = try requireRuntime(ofEntityNamed: name).forInsertion()
        let object = runtime.description.objectType.init(seedForInsertion(runtime))
        register(inserted: object)
        object.awakeFromInsert()
        return object
    }

    func seedForInsertion(_ runtime: EntityRuntime) -> ManagedObject.Seed {
        ManagedObject.Seed(
            runtime: runtime, key: nextTemporaryKey())
    }

    /// Gives an object whose row is gone a key as of one that was never saved.
    func giveTemporaryKey(to object: ManagedObject) {
        object.identityKey = nextTemporaryKey()
        if object.isPending { pendingObjects.forgetKeys() }
    }

    /// A key that no object has, above those that the family of contexts had before.
    func nextTemporaryKey() -> ObjectID.Key {
        // A family of contexts counts together, so that an object has the same temporary identity in all of
        // them.
        if let parent { return parent.nextTemporaryKey() }
        let numbers = temporaryNumbers ?? container.temporaryIdentities.reserveNumbers()
        let isLast = numbers.lowerBound == numbers.upperBound
        temporaryNumbers = isLast ? nil : numbers.lowerBound + 1...numbers.upperBound
        return .temporary(numbers.lowerBound)
    }

    func register(inserted object: ManagedObject) {
        object.state = .inserted
        object.isFault = false
        object.madeValues = object.runtime.initialValues
        notePending(object)
        undoManager?.record(.insertion(object))
    }

    /// Lists an object among those with unsaved changes.
    func notePending(_ object: ManagedObject) {
        guard !object.isPending else { return }
        object.isPending = true
        pendingObjects.append(object)
        object.noteReferences()
    }

    /// The objects with unsaved changes, and some that have been changed back, in the order of their first
    /// change.
    var pending: [ManagedObject] { pendingObjects.list }

    /// The new object of this context with a temporary key.
    func unsavedObject(_ key: ObjectID.Key) -> ManagedObject? {
        guard let object = pendingObject(key), object.state == .inserted else { return nil }
        return object
    }

    /// The same, also if it is gone.
    func pendingObject(_ key: ObjectID.Key) -> ManagedObject? { pendingObjects.object(key) }

    /// Some of the objects with unsaved changes in their order.
    func sortedPending(_ objects: [ManagedObject]) -> [ManagedObject] { pendingObjects.sorted(objects) }

    /// Takes an object off the list of those with unsaved changes, unless links of it are to be written
    /// still.
    func forgetPending(_ object: ManagedObject) {
        guard object.isPending, !object.hasChangedLinks else { return }
        object.isPending = false
        pendingObjects.remove(object)
    }

    /// Takes all objects off the list of those with unsaved changes.
    func clearPending() -> [ManagedObject] {
        let objects = pending
        pendingObjects = PendingObjects()
        forgetReferenceTables()
        for object in objects {
            object.isPending = false
            object.hasChangedLinks = false
        }
        clearLinks()
        unpositionedMembers = nil
        return objects
    }
}
