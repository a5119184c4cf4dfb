import Foundation
package import ModelReading
package import ObjectStorage

/// The model that a store contains, compressed.
package enum ModelCache {
    /// Returns the model of the bytes in `Z_MODELCACHE`.
    ///
    /// - Parameters:
    ///   - limit: The largest number of bytes of the decompressed model.
    ///   - includesRules: Whether the rules that matter only when objects are saved are read as well.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` for damaged bytes.
    package static func model(
        of bytes: [UInt8], limit: Int = RawInflate.maximumByteCount, includesRules: Bool = false
    ) throws(ObjectStorageError) -> StoredModel {
        try reading(bytes, limit: limit) { data throws(ObjectStorageError) in
            try StoredModel(archive: data, includesRules: includesRules)
        }
    }

    /// Returns the model of the bytes in `Z_MODELCACHE` with its rules, as a model file has them.
    ///
    /// - Throws: As ``model(of:limit:includesRules:)``, and for a model that contradicts itself.
    static func dataModel(of bytes: [UInt8]) throws(ObjectStorageError) -> DataModel {
        try reading(bytes, limit: RawInflate.maximumByteCount) { data throws(ObjectStorageError) in
            try DataModel(archive: data)
        }
    }

    private static func reading<Model>(
        _ bytes: [UInt8], limit: Int, _ read: (Data) throws(ObjectStorageError) -> Model
    ) throws(ObjectStorageError) -> Model {
        try naming { () throws(ObjectStorageError) in
            try read(Data(RawInflate.bytes(of: bytes, limit: limit)))
        }
    }

    /// Runs a function on the model in a store, and adds the location of the model to the error of an invalid
    /// model.
    static func naming<Result>(
        _ body: () throws(ObjectStorageError) -> Result
    ) throws(ObjectStorageError) -> Result {
        do throws(ObjectStorageError) {
            return try body()
        } catch {
            guard error.code == .invalidModel, !error.message.contains("Z_MODELCACHE") else { throw error }
            throw error.replacing(message: "The model in the store (Z_MODELCACHE): \(error.message)")
        }
    }

    /// Returns a model mapped to tables with exactly the columns that its properties need. With it, fuzzing
    /// checks that every model can be mapped.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` for a model that is too
    ///   large, or has too many contradictory parts.
    package static func mapped(_ model: StoredModel) throws(ObjectStorageError) -> ManagedObjectModel {
        try naming { () throws(ObjectStorageError) in
            var mapping = try StoreMapping(of: model, in: StoreTables(fitting: model))
            return try mapping.model()
        }
    }
}
