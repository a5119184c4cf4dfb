public import Foundation
package import ModelReading
public import ObjectStorage

/// A store that Core Data or SwiftData wrote: its model, and the locations of the model's properties in the
/// file.
///
/// ```swift
/// let store = try CoreDataStore(contentsOf: url)
/// for part in store.unreadableParts { print(part) }
/// for entity in store.model.entities { print(entity) }
/// ```
///
/// The file contains its model, so neither the app nor its model files are needed. A store that was written
/// before iOS 9 contains no model and must be opened with one.
///
/// Reading neither changes nor creates a file of the store.
public struct CoreDataStore: Sendable {
    /// The location of the store.
    public let url: URL
    /// The model, whose entities are mapped to the tables of the store.
    public let model: ManagedObjectModel
    /// The parts of the store's model that ``model`` lacks, with the reasons.
    public let unreadableParts: [UnreadableStorePart]
    /// The former names that the store has for renamed entities, keyed by their present names.
    public let renamedEntities: [String: String]
    /// The names of the app's classes, by entity. Entities that have no class of the app are omitted.
    public let classNames: [String: String]
    /// The UUID of the store, as text; nil if it has none.
    public let uuid: String?
    /// The version of the framework that wrote the store; nil if the store does not state it.
    public let frameworkVersion: Int?
    /// The persistent history; nil if the app does not keep one.
    let history: ChangeHistory?
    /// The identifiers of the version of the model.
    public let modelVersionIdentifiers: [String]
    /// The name of the model's version in the bundle that was given; nil for the model in the store.
    public let modelVersionName: String?
    /// The description of the tables for saving objects; nil if the store was read without
    /// ``ObjectStorage/StoreOptions/coreDataWriting``.
    let writingPlan: WritingPlan?
    /// The model that was given.
    let modelURL: URL?

    /// Reads the model of a store and finds the tables and columns of its properties.
    ///
    /// - Parameters:
    ///   - url: The store.
    ///   - modelURL: A `.momd`, `.mom`, `.xcdatamodeld` or `.xcdatamodel` to use in place of the model in the
    ///     store. Of several versions, the version whose hashes the store records is used or, without hashes,
    ///     the version that fits the tables best. Nil uses the model in the store. With
    ///     ``/ObjectStorage/StoreOptions/coreDataWriting``, a version must have these hashes, which only a
    ///     `.momd` contains.
    ///   - options: The options of ``ObjectStorage/PersistentContainer``: limits, and whether the file may be
    ///     malicious.
    /// - Throws: ``/ObjectStorage/ObjectStorageError`` with
    ///   ``/ObjectStorage/ObjectStorageError/Code/foreignStore`` for a file that is not a store of Core Data;
    ///   with ``/ObjectStorage/ObjectStorageError/Code/invalidModel`` for a store without a model, and for a
    ///   damaged model, with the offset; with ``/ObjectStorage/ObjectStorageError/Code/modelMismatch`` if the
    ///   store cannot be written because no version of the given model has its hashes; and as
    ///   ``/ObjectStorage/PersistentContainer/init(url:model:options:)``.
    /// - Complexity: O(*n*·log *n*) in the size of the model; independent of the number of rows.
    public init(
        contentsOf url: URL, model modelURL: URL? = nil, options: StoreOptions = StoreOptions()
    ) throws(ObjectStorageError) {
        do throws(ObjectStorageError) {
            self = try PreservedStore.reading(path: url.path, options: options) {
                (store) throws(ObjectStorageError) in
                try CoreDataStore(
                    of: store, at: url, model: modelURL, isForWriting: options.coreDataWriting != nil)
            }
        } catch {
            throw error.naming(url.path)
        }
    }

    private init(
        of store: PreservedStore, at url: URL, model modelURL: URL?, isForWriting: Bool
    ) throws(ObjectStorageError) {
        self.url = url
        self.modelURL = modelURL
        let tables = try StoreTables(of: store)
        let metadata = try CoreDataMetadata(of: store)
        uuid = metadata.uuid
        frameworkVersion = metadata.frameworkVersion
        let stored: StoredModel
        if let modelURL {
            let version = try Self.version(
                of: StoredModel.versions(at: modelURL, includesRules: isForWriting), fitting: tables,
                metadata, modelURL, isForWriting: isForWriting)
            (stored, modelVersionName) = (version.model, version.name)
        } else {
            let bytes = try Self.cachedModel(of: store)
            (stored, modelVersionName) = (
                try ModelCache.model(of: bytes, includesRules: isForWriting), nil
            )
        }
        modelVersionIdentifiers =
            metadata.modelVersionIdentifiers.isEmpty
            ? stored.versionIdentifiers : metadata.modelVersionIdentifiers
        classNames = stored.classNames
        var mapping = try StoreMapping(of: stored, in: tables)
        if let rules = stored.rules {
            mapping.rules = StoreMapping.WritingRules(
                model: rules, triggerColumns: try StoreTables.triggerColumns(in: store))
        }
        func mapped() throws(ObjectStorageError) -> ManagedObjectModel {
            try mapping.model { model throws(ObjectStorageError) in try store.check(model) }
        }
        model = try modelURL == nil ? ModelCache.naming(mapped) : mapped()
        writingPlan = isForWriting ? try WritingPlan(mapping, model, metadata, in: store) : nil
        let ofStore = metadata.damage.map { damage in
            UnreadableStorePart(
                nil, nil,
                "The property list of Z_METADATA cannot be read: \(damage). The versions of the framework and of the model are unknown; all rows are read."
            )
        }
        unreadableParts = mapping.unreadableParts + (ofStore.map { [$0] } ?? [])
        renamedEntities = mapping.renamedEntities
        history = try tables.history(of: mapping.entities, in: store)
    }

    /// The largest compressed model that is read, in bytes.
    private static let maximumByteCount: Int64 = 16 << 20

    /// Returns the compressed model in a store.
    private static func cachedModel(of store: PreservedStore) throws(ObjectStorageError) -> [UInt8] {
        guard
            try !store.rows(
                "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'Z_MODELCACHE'"
            ).isEmpty,
            let row = try store.rows("SELECT length(Z_CONTENT) FROM main.Z_MODELCACHE LIMIT 1").first,
            case .integer(let count) = row[0], count > 0
        else {
            throw ObjectStorageError(
                .invalidModel,
                "The store does not contain its model, as is usual for stores from before iOS 9. Give the model as a .momd, .mom or .xcdatamodeld."
            )
        }
        guard count <= maximumByteCount,
            case .blob(let bytes)? = try store.rows("SELECT Z_CONTENT FROM main.Z_MODELCACHE LIMIT 1").first?[
                0]
        else {
            throw ObjectStorageError(
                .invalidModel,
                "The model in the store has \(count) bytes, or is not a blob; the limit is \(maximumByteCount). Give the model as a .momd, .mom or .xcdatamodeld."
            )
        }
        return bytes
    }

    /// Returns the version of a model that fits a store: the version whose hashes the store records, or else
    /// the version with the most properties that have columns and the fewest without. A store is written only
    /// with the version that has its hashes.
    private static func version(
        of versions: [StoredModel.Version], fitting tables: StoreTables, _ metadata: CoreDataMetadata,
        _ url: URL, isForWriting: Bool
    ) throws(ObjectStorageError) -> StoredModel.Version {
        let hashes = metadata.versionHashes
        if !hashes.isEmpty, let version = versions.first(where: { $0.hashes == hashes }) { return version }
        guard !isForWriting else {
            let reason =
                hashes.isEmpty
                ? "the store has no readable hashes of its model"
                : "no version of the model “\(url.path)” has the hashes that the store records"
            throw ObjectStorageError(
                .modelMismatch,
                "Objects of the store cannot be saved, because \(reason). Give the .momd of the app that wrote the store, or open the store without coreDataWriting."
            )
        }
        var scored: [(version: StoredModel.Version, score: Int)] = []
        for version in versions {
            let mapping = try StoreMapping(of: version.model, in: tables)
            scored.append((version, mapping.numberOfColumns - mapping.unreadableParts.count))
        }
        guard let best = scored.max(by: { $0.score < $1.score }), best.score > 0 else {
            throw ObjectStorageError(
                .invalidModel,
                "No version of the model “\(url.path)” has entities of the store. Give the model of the app that wrote the store."
            )
        }
        return best.version
    }
}

extension CoreDataStore {
    /// Returns the model that a store contains, with its rules and without the tables of the store, as
    /// `DataModel(contentsOf:version:)` returns that of a model file. No file is changed or created.
    ///
    /// - Parameter options: The limits, and whether the file may be malicious.
    /// - Throws: ``ObjectStorage/ObjectStorageError`` as ``init(contentsOf:model:options:)``, and for a model
    ///   that contradicts itself.
    /// - Complexity: O(*n*) in the size of the model.
    package static func dataModel(
        ofStoreAt url: URL, options: StoreOptions = StoreOptions()
    ) throws(ObjectStorageError) -> DataModel {
        do throws(ObjectStorageError) {
            return try PreservedStore.reading(path: url.path, options: options) {
                (store) throws(ObjectStorageError) in
                try ModelCache.dataModel(of: cachedModel(of: store))
            }
        } catch {
            throw error.naming(url.path)
        }
    }
}
