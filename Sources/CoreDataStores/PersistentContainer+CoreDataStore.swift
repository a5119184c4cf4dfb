public import Foundation
public import ObjectStorage

extension PersistentContainer {
    /// Opens a store that Core Data or SwiftData wrote, for reading.
    ///
    /// ```swift
    /// let container = try PersistentContainer(coreDataStore: url)
    /// let context = container.newContext()
    /// let songs = try context.fetch(FetchRequest<ManagedObject>(entityName: "Song"))
    /// ```
    ///
    /// The rows in the write-ahead log belong to the store. No file is changed or created. While the app has
    /// the store open, or after it left its log behind, its commits are detected like those of any other
    /// program. Otherwise the store is read without locks: after a write of the app, reads throw
    /// ``ObjectStorageError/Code/storeChanged``, and the store can be opened again. A store whose last
    /// transaction was interrupted is read from a private copy.
    ///
    /// - Parameters:
    ///   - url: The store.
    ///   - modelURL: The model of a store that does not contain one, as in
    ///     ``CoreDataStore/init(contentsOf:model:options:)``.
    ///   - classes: Classes for the objects of some entities. Each must fit its entity in names, types and
    ///     relationships. Objects of other entities are untyped.
    ///   - options: The limits, the transformers, and whether the file may be malicious. The store is always
    ///     opened read-only.
    /// - Throws: As ``CoreDataStore/init(contentsOf:model:options:)`` and
    ///   ``ManagedObjectModel/binding(_:)``.
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
        options.isReadOnly = true
        options.existingTables = .untracked
        options.preservesFiles = true
        options.changeHistory = options.readsCoreDataHistory ? store.history : nil
        let model = classes.isEmpty ? store.model : try store.model.binding(classes, isForReading: true)
        try self.init(url: store.url, model: model, options: options)
    }
}
