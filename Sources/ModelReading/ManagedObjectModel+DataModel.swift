public import Foundation
public import ObjectStorage

extension ManagedObjectModel {
    /// Creates a model from a file of Core Data's tools, if the model has all properties of the file.
    ///
    /// The model has the entities with their parents, attributes with types, defaults, rules and
    /// transformers, relationships with inverses and delete rules, indexes, uniqueness constraints and
    /// renaming identifiers. Other parts of the file are ignored; ``DataModel`` lists them, and also reads
    /// the files that this initializer refuses.
    ///
    /// - Parameter url: A `.xcdatamodeld` or `.momd` bundle, of which the current version is read, a
    ///   `.xcdatamodel` bundle, the file `contents` in it, or a `.mom` file.
    /// - Throws: ``/ObjectStorage/ObjectStorageError`` with
    ///   ``/ObjectStorage/ObjectStorageError/Code/invalidModel`` for a file that cannot be read, is larger
    ///   than 16 MiB or is not a model; for an attribute that the library does not support, with the line;
    ///   and for an inconsistent model.
    /// - Complexity: O(*n*) in the size of the file, plus the validation of the model.
    public init(contentsOfDataModel url: URL) throws(ObjectStorageError) {
        let file = try DataModel(contentsOf: url)
        if let part = file.unsupportedParts.first(where: {
            $0.isPropertyMissing && $0.kind != .fetchedProperty
        }) {
            throw ObjectStorageError(
                .invalidModel, "“\(url.path)”: \(part)", entityName: part.entityName,
                propertyName: part.propertyName)
        }
        self = file.model
    }

    /// Creates a model from a file of Core Data's tools, with classes for the objects of its entities.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(dataModel: url, classes: [Song.self, Artist.self])
    /// ```
    ///
    /// `model-tool generate` writes classes that fit. An unsupported attribute is not an error here, unless a
    /// class declares it; ``DataModel`` lists such attributes.
    ///
    /// - Parameters:
    ///   - url: The model, as in ``DataModel/init(contentsOf:version:)``.
    ///   - version: The version; nil for the current one.
    ///   - classes: The classes of objects. The objects of an entity without a class have the class of its
    ///     parent, or are untyped.
    /// - Throws: ``/ObjectStorage/ObjectStorageError`` with
    ///   ``/ObjectStorage/ObjectStorageError/Code/invalidModel`` as
    ///   ``DataModel/init(contentsOf:version:)``; and for a class that does not fit its entity, with the
    ///   class, the property and the difference.
    /// - Complexity: O(*n*) in the size of the file and the number of properties, plus the validation of the
    ///   model.
    public init(
        dataModel url: URL, version: String? = nil, classes: [ManagedObject.Type]
    ) throws(ObjectStorageError) {
        self = try DataModel(contentsOf: url, version: version).model.binding(classes)
    }
}
