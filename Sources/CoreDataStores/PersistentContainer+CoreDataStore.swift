public import Foundation
public import ObjectStorage

extension PersistentContainer {
    /// Opens a store that Core Data or SwiftData wrote: for reading, or also for saving with
    /// ``/ObjectStorage/StoreOptions/coreDataWriting``.
    ///
    /// ```swift
    /// let container = try PersistentContainer(coreDataStore: url)
    /// let context = container.newContext()
    /// let songs = try context.fetch(FetchRequest<ManagedObject>(entityName: "Song"))
    /// ```
    ///
    /// The rows in the write-ahead log belong to the store. Reading neither changes nor creates a file. While
    /// the app has the store open, or after it left its log behind, its commits are detected like those of
    /// any other program. Otherwise a store that is opened for reading is read without locks: after a write
    /// of the app, reads throw ``/ObjectStorage/ObjectStorageError/Code/storeChanged``, and the store can be
    /// opened again. A store whose last transaction was interrupted is read from a private copy.
    ///
    /// - Parameters:
    ///   - url: The store.
    ///   - modelURL: The model of a store that does not contain one, as in
    ///     ``CoreDataStore/init(contentsOf:model:options:)``.
    ///   - classes: Classes for the objects of some entities. Each must fit its entity in names, types and
    ///     relationships. Objects of other entities are untyped.
    ///   - options: The limits, the transformers, whether the file may be malicious, and whether objects can
    ///     be saved. Without ``/ObjectStorage/StoreOptions/coreDataWriting`` the store is opened read-only.
    /// - Throws: As ``CoreDataStore/init(contentsOf:model:options:)`` and
    ///   ``/ObjectStorage/ManagedObjectModel/binding(_:)``.
    public convenience init(
        coreDataStore url: URL, model modelURL: URL? = nil, classes: [ManagedObject.Type] = [],
        options: StoreOptions = StoreOptions()
    ) throws(ObjectStorageError) {
        let store = try CoreDataStore(contentsOf: url, model: modelURL, options: options)
        try self.init(store, classes: classes, options: options)
    }

    /// Opens a store whose model has already been read.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - classes: Classes for the objects of some entities.
    ///   - options: As in ``init(coreDataStore:model:classes:options:)``.
    /// - Throws: As ``init(coreDataStore:model:classes:options:)``.
    public convenience init(
        _ store: CoreDataStore, classes: [ManagedObject.Type] = [], options: StoreOptions = StoreOptions()
    ) throws(ObjectStorageError) {
        var options = options
        options.existingTables = .untracked
        guard let writing = options.coreDataWriting, !options.isReadOnly else {
            options.isReadOnly = true
            options.preservesFiles = true
            options.changeHistory = options.readsCoreDataHistory ? store.history : nil
            let model = classes.isEmpty ? store.model : try store.model.binding(classes, isForReading: true)
            try self.init(url: store.url, model: model, options: options)
            return
        }
        guard !options.isUntrusted else {
            throw ObjectStorageError(
                .invalidRequest,
                "“\(store.url.path)” is opened as an untrusted file, which is only read. Set coreDataWriting only for files whose origin is known."
            )
        }
        // Only a store that was read with the option has the description of its tables for saving.
        let store =
            store.writingPlan == nil
            ? try CoreDataStore(contentsOf: store.url, model: store.modelURL, options: options) : store
        guard let plan = store.writingPlan else {
            throw ObjectStorageError(
                .invalidModel, "The model of “\(store.url.path)” was read without its rules.")
        }
        let writer = CoreDataWriter(store, plan, options: writing)
        options.connections = .single
        options.transactionRules = writer
        let model = classes.isEmpty ? store.model : try store.model.binding(classes, isForReading: false)
        try self.init(url: store.url, model: model, options: options)
        try writer.checkNoOtherProcess()
    }

    /// The location of the copy that was made of a Core Data store before the first save; nil if nothing was
    /// saved yet, or no copy was requested (``/ObjectStorage/CoreDataWriting/makesCopy``).
    public var coreDataStoreCopyURL: URL? { (transactionRules as? CoreDataWriter)?.copyURL }
}
