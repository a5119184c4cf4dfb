import Foundation
import ObjectStorage

extension DataModelContents {
    /// The largest number of properties of all entities together: a table has up to 2,000 columns, and
    /// the entities of a damaged file can refer to each other's properties.
    private static let maximumProperties = 100_000

    /// Reads the content of a compiled model: a keyed archive of the model's descriptions.
    ///
    /// - Throws: ``ObjectStorageError`` if the data are damaged, or not a compiled model.
    init(archive data: Data) throws(ObjectStorageError) {
        let root = try KeyedArchive.root(of: data)
        guard root.className == "NSManagedObjectModel", let archived = root["NSEntities"] else {
            throw ObjectStorageError(
                .invalidModel,
                "This is an archive of the class \(root.className ?? "?"), not a compiled Core Data model. Pass a .mom file, or the .momd bundle."
            )
        }
        versionIdentifiers = (root["NSVersionIdentifiers"]?.items ?? []).compactMap(\.text).sorted()
        var numberOfProperties = 0
        for (name, value) in archived.entries.sorted(by: { $0.key < $1.key }) {
            let properties = value["NSProperties"]?.entries ?? []
            numberOfProperties += properties.count + 1
            guard numberOfProperties <= Self.maximumProperties else {
                throw ObjectStorageError(
                    .invalidModel,
                    "The model has more than \(Self.maximumProperties) properties. The file is damaged; build the model again."
                )
            }
            guard value.className?.hasSuffix("EntityDescription") == true else {
                throw Self.unreadable("The entity “\(name)”", name)
            }
            entities.append(try ArchivedEntity(name: name, value, properties: properties).content())
        }
        for (name, value) in (root["NSConfigurations"]?.entries ?? []).sorted(by: { $0.key < $1.key }) {
            let members = value.items.prefix(1_000).compactMap { $0["NSEntityName"]?.text }.sorted()
            unsupportedParts.append(.configuration(name, of: members, line: nil))
        }
        let templates = (root["NSFetchRequestTemplates"]?.entries ?? []).sorted { $0.key < $1.key }
        for (name, value) in templates {
            unsupportedParts.append(
                .fetchRequest(
                    name, entity: ArchivedEntity.entityName(ofRequest: value),
                    predicate: value["NSPredicate"].map(ArchivedExpression.text), line: nil))
        }
        guard !root.isArchiveExhausted else {
            throw ObjectStorageError(
                .invalidModel,
                "The collections of the model have too many items together. The file is damaged; copy it again, or build the model again."
            )
        }
    }

    /// Returns the error for a part of the archive that is missing or of another kind.
    static func unreadable(
        _ part: String, _ entity: String?, _ property: String? = nil
    ) -> ObjectStorageError {
        ObjectStorageError(
            .invalidModel,
            "\(part) is missing or not readable. The file is damaged; copy it again, or build the model again.",
            entityName: entity, propertyName: property)
    }
}
