public import Foundation
public import ObjectStorage

extension ManagedObjectModel {
    /// Reads a model that Apple's tools made: the XML source of a Core Data model.
    ///
    /// Entities with their parents, attributes with types, defaults, rules and transformers, relationships
    /// with inverses and delete rules, indexes, uniqueness constraints and renaming identifiers are taken
    /// over. What a model means to Apple's editor alone, stored fetch requests, configurations and fetched
    /// properties are not read; derived attributes are refused.
    ///
    /// - Parameter url: A `.xcdatamodeld` bundle, of which the current version is read, a `.xcdatamodel`
    ///   bundle, or the file `contents` in it.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel``: a file that cannot be
    ///   read, is larger than 16 MiB or is no such XML, with the line; a type that there is no other for; a
    ///   model that contradicts itself.
    public init(contentsOfDataModel url: URL) throws(ObjectStorageError) {
        let file = try DataModelBundle.contents(of: url)
        do {
            var entities: [EntityDescription] = []
            for entity in try DataModelParser.entities(in: DataModelBundle.data(of: file)) {
                entities.append(try entity.description())
            }
            try self.init(entities: entities)
        } catch {
            throw ObjectStorageError(
                error.code, "“\(file.path)”: \(error.message)", entityName: error.entityName,
                propertyName: error.propertyName)
        }
    }
}
