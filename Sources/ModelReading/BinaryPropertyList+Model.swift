import Foundation
import ObjectStorage

extension BinaryPropertyList {
    /// Reads all objects of the binary property list in a model file.
    ///
    /// - Throws: ``ObjectStorageError`` if the data are damaged.
    /// - Complexity: O(*n*) in the number of bytes.
    static func modelFile(_ data: Data) throws(ObjectStorageError) -> Self {
        do throws(Damage) {
            return try Self(data)
        } catch {
            throw ObjectStorageError(
                .invalidModel,
                "This is not an intact binary property list: \(error.reason). Copy the file again, or build the model again."
            )
        }
    }
}
