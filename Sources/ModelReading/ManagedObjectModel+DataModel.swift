public import Foundation
public import ObjectStorage

extension ManagedObjectModel {
    /// Creates a model from the XML source of a Core Data model, as written by Apple's tools.
    ///
    /// The model has the entities with their parents, attributes with types, defaults, rules and
    /// transformers, relationships with inverses and delete rules, indexes, uniqueness constraints and
    /// renaming identifiers. Settings of Apple's editor, stored fetch requests, configurations and fetched
    /// properties are ignored. Derived attributes are refused.
    ///
    /// - Parameter url: A `.xcdatamodeld` bundle, of which the current version is read, a `.xcdatamodel`
    ///   bundle, or the file `contents` in it.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` for a file that
    ///   cannot be read, is larger than 16 MiB or is not the XML of a model; for an unsupported type or a
    ///   derived attribute, with the line; and for an inconsistent model.
    public init(contentsOfDataModel url: URL) throws(ObjectStorageError) {
        let file = try DataModelBundle.contents(of: url)
        do {
            var entities: [EntityDescription] = []
            for entity in try DataModelParser.entities(in: DataModelBundle.data(of: file)) {
                entities.append(try entity.description())
            }
            try self.init(entities: entities)
        } catch {
            throw error.replacing(message: "“\(file.path)”: \(error.message)")
        }
    }
}
