/// A unit of work over a store: objects that are read, changed and saved together.
///
/// A context has one object for each row that it has read, and keeps changes in memory until ``save()``
/// writes them in one SQLite transaction or ``rollback()`` discards them. It is confined to the isolation
/// that created it: the class is not `Sendable`, so the compiler refuses to share it or its objects.
///
/// The context holds objects with unsaved changes strongly and all others weakly.
public final class ManagedObjectContext {
    /// The opened store.
    public let container: PersistentContainer
    /// The context whose unsaved changes this one sees and saves to; nil for a context that saves to the
    /// store.
    public let parent: ManagedObjectContext?
    /// The contexts that save to this one.
    var children: [ChildContext] = []
    /// The way in which a save resolves conflicts with rows that were changed elsewhere after they were read.
    public var mergePolicy = MergePolicy.error
    /// The undo manager that records changes; nil by default, in which case changes cannot be undone.
    public var undoManager: UndoManager? {
        didSet { for runtime in runtimes { runtime.recordsUndo = undoManager != nil } }
    }
    /// The shared state of each entity's objects, for the entities that were used. An array, because a model
    /// has few entities, and a dictionary would need its generic type instantiated at launch.
    private(set) var runtimes: [EntityRuntime] = []
    /// The class of the object inserted last, with its runtime: finding a class's runtime needs the class's
    /// name, which is slow to obtain.
    private var lastUsed: (type: ObjectIdentifier, runtime: EntityRuntime)?
    private var pendingObjects = PendingObjects()
    /// The unsaved changes of relationships that are stored in link tables.
    var links: [PendingLinks] = []
    /// The assignments to relationships since the last save that could not be made.
    var refusedAssignments: [RefusedAssignment] = []
    /// The ordered lists in which unsaved objects still need a position; created when needed.
    var unpositionedMembers: UnpositionedMembers?
    /// The reserved numbers for temporary identities of new objects.
    private var temporaryNumbers: ClosedRange<UInt64>?
    /// The objects for which a fetch since the last merge read other values than they had.
    var valuesReadAgain = ValuesReadAgain()
    /// The number of times that results were found. An object whose row was read in an earlier epoch had its
    /// values when the results of a later one were found.
    private(set) var readEpoch: UInt64 = 0
    /// A number that changes whenever prefetched rows may no longer match the state that the context shows.
    var storeGeneration: UInt64 = 0
    /// The state of the store that the context is pinned to; nil if it is not pinned or is a child context.
    var pinnedGeneration: QueryGenerationToken?
    /// Whether a save has unpinned the context until its rows are written.
    var isPinOwed = false
    /// Whether the pinned read transaction may block writes of other programs.
    var mayBlockWriters = false
    /// The mailbox to which the container delivers changes committed elsewhere; created when first needed.
    var mailbox: ContextMailbox?
    /// The storage of ``automaticallyMergesChanges``.
    var mergesAutomatically = false
    /// Keeps the store monitored for changes of other programs while changes are merged automatically.
    var automaticWatch: ExternalChangeMonitor?
    /// The continuous merge; nil if no caller retains it.
    weak var continuousMerging: ContinuousMerging?
    /// Whether the context merges changes because they arrived, not because the app asked for it.
    package internal(set) var isMergingArrivals = false
    /// The version stamps of the tables at the last comparison with the store, updated by the context's own
    /// saves and merges.
    var mergedStates: [(tableName: String, state: [UInt8]?)]?
    /// The version of the store before the last ``mergeOthersChanges()``; nil if it is not known.
    var mergedVersion: CommitVersion?
    /// Whether this context has reported that the store's file was replaced.
    var knowsReplacement = false
    /// The objects whose ``ManagedObject/prepareForDeletion()`` is running.
    var objectsPreparedForDeletion: [ManagedObject] = []
    /// Whether ``ManagedObject/willSave()`` is being called on the objects.
    var isAnnouncingSave = false
    /// Whether observers may show unsaved changes, because they were notified of them or a fetch returned
    /// them.
    var hasShownChanges = false
    /// The observers of saves and merges.
    var observers: [ContextObserver] = []

    init(container: PersistentContainer, parent: ManagedObjectContext? = nil) {
        self.container = container
        self.parent = parent
    }

    deinit {
        // Objects that outlive their context must not access it while it is being deallocated.
        for object in pending { object.isPending = false }
    }
}

extension ManagedObjectContext {
    /// Ends the current read epoch, and returns its number.
    ///
    /// - Complexity: O(*e*) in the number of entities used.
    package func endReadEpoch() -> UInt64 {
        defer {
            readEpoch += 1
            for runtime in runtimes { runtime.readEpoch = UInt16(truncatingIfNeeded: readEpoch) }
        }
        return readEpoch
    }

    /// Returns the shared state of the context's objects of an entity; nil for an entity that the model does
    /// not have.
    func runtime(ofEntityNamed name: String) -> EntityRuntime? {
        if let runtime = runtimes.first(where: { $0.description.name == name }) { return runtime }
        guard let description = container.model.entity(named: name) else { return nil }
        let registry =
            runtimes.first { $0.registry.tableName == description.tableName }?.registry
            ?? ObjectRegistry(
                tableName: description.tableName, hasConcreteEntities: description.hierarchy != nil)
        let family =
            description.hasSubentities ? HierarchyColumns(container.model.family(of: description)) : nil
        let runtime = EntityRuntime(description, of: self, registry: registry, family: family)
        runtimes.append(runtime)
        return runtime
    }

    /// Releases the shared state of each entity's objects, and with it the objects.
    func detachRuntimes() {
        for runtime in runtimes { runtime.detach() }
        runtimes = []
        lastUsed = nil
    }

    /// The objects of the context that have rows, in no particular order.
    var registeredObjects: [ManagedObject] {
        var registries: [ObjectRegistry] = []
        for runtime in runtimes where !registries.contains(where: { $0 === runtime.registry }) {
            registries.append(runtime.registry)
        }
        return registries.flatMap(\.allObjects)
    }

    /// Returns the shared state of the context's objects of an entity, or throws an error for an entity that
    /// the model does not have.
    func requireRuntime(ofEntityNamed name: String) throws(ObjectStorageError) -> EntityRuntime {
        if let runtime = runtime(ofEntityNamed: name) { return runtime }
        _ = try container.model.requireList(named: name)
        throw ObjectStorageError(
            .invalidRequest,
            "“\(name)” names several entities, which can only be fetched, counted and listed together. For any other operation, name one entity.",
            entityName: name)
    }

    /// Returns the runtime of a class's entity, which the model must describe with this class.
    func runtime(of type: ManagedObject.Type) throws(ObjectStorageError) -> EntityRuntime {
        if let lastUsed, lastUsed.type == ObjectIdentifier(type) { return lastUsed.runtime }
        let runtime = try requireRuntime(ofEntityNamed: type.entityName)
        guard runtime.objectType == type else {
            throw ObjectStorageError(
                .invalidModel,
                "The container's model describes entity “\(type.entityName)” by the class \(runtime.objectType), not \(type). Open it with ManagedObjectModel(types:).",
                entityName: type.entityName)
        }
        lastUsed = (ObjectIdentifier(type), runtime)
        return runtime
    }
}

extension ManagedObjectContext {
    /// Inserts a new object of a class.
    ///
    /// - Parameter type: The class, which may be a subclass of the static type.
    /// - Returns: The object, which has a temporary identity until it is saved.
    /// - Throws: ``ObjectStorageError`` if the model does not contain the class, or its entity is abstract.
    @discardableResult
    public func insert<Object: ManagedObject>(_ type: Object.Type) throws(ObjectStorageError) -> Object {
        // The class that is passed may be a subclass of the static type.
        let object = type.init(seedForInsertion(try runtime(of: type).forInsertion()))
        register(inserted: object)
        object.awakeFromInsert()
        return object
    }

    /// Inserts a new object of the entity called `name`.
    ///
    /// - Parameter name: The name of the entity.
    /// - Returns: The object, of the entity's class. It has a temporary identity until it is saved.
    /// - Throws: ``ObjectStorageError`` if the entity does not exist, with the nearest name as a suggestion,
    ///   or is abstract.
    @discardableResult
    public func insert(entityNamed name: String) throws(ObjectStorageError) -> ManagedObject {
        let runtime = try requireRuntime(ofEntityNamed: name).forInsertion()
        let object = runtime.objectType.init(seedForInsertion(runtime))
        register(inserted: object)
        object.awakeFromInsert()
        return object
    }

    func seedForInsertion(_ runtime: EntityRuntime) -> ManagedObject.Seed {
        ManagedObject.Seed(
            runtime: runtime, key: nextTemporaryKey())
    }

    /// Assigns a new temporary key to an object whose row was deleted.
    func giveTemporaryKey(to object: ManagedObject) {
        object.identityKey = nextTemporaryKey()
        if object.isPending { pendingObjects.forgetKeys() }
    }

    /// Returns a temporary key that no object has, greater than all earlier ones of the context, its parents
    /// and its children.
    func nextTemporaryKey() -> ObjectID.Key {
        // Parents and children share one counter, so that an object has the same temporary identity in all of
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
        object.readEpoch = object.runtime.readEpoch
        object.madeValues = object.runtime.initialValues
        // A child context has obtained the permanent identity of its new object.
        if case .permanent(let key) = object.identityKey {
            object.runtime.registry.register(object, key: key)
            object.noteReservation()
        }
        notePending(object)
        undoManager?.record(.insertion(object))
    }

    /// Discards the look-up table of pending objects by temporary keys, after some were replaced.
    func forgetPendingKeys() { pendingObjects.forgetKeys() }

    /// Adds an object to the list of objects with unsaved changes.
    func notePending(_ object: ManagedObject) {
        guard !object.isPending else { return }
        object.isPending = true
        pendingObjects.append(object)
        object.noteReferences()
    }

    /// The objects with unsaved changes, and some whose changes were reverted, in the order of their first
    /// change.
    var pending: [ManagedObject] { pendingObjects.list }

    /// Returns the new object of this context with a temporary key.
    func unsavedObject(_ key: ObjectID.Key) -> ManagedObject? {
        guard let object = pendingObject(key), object.state == .inserted else { return nil }
        return object
    }

    /// Returns the object of this context with a temporary key, even if it was deleted.
    func pendingObject(_ key: ObjectID.Key) -> ManagedObject? { pendingObjects.object(key) }

    /// Returns some of the objects with unsaved changes, in the order of their first change.
    func sortedPending(_ objects: [ManagedObject]) -> [ManagedObject] { pendingObjects.sorted(objects) }

    /// Removes an object from the list of objects with unsaved changes, unless it has unsaved links.
    func forgetPending(_ object: ManagedObject) {
        guard object.isPending, !object.hasChangedLinks else { return }
        object.isPending = false
        pendingObjects.remove(object)
    }

    /// Removes all objects from the list of objects with unsaved changes, and returns them.
    func clearPending() -> [ManagedObject] {
        let objects = pending
        pendingObjects = PendingObjects()
        for refused in refusedAssignments { refused.object.readError = nil }
        refusedAssignments = []
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
