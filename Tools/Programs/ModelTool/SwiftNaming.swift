import ModelReading
import ObjectStorage

/// The names of classes and properties for the entities of a database, whose mappings keep the names of
/// tables and columns.
struct SwiftNaming {
    /// The model with names in Swift's style, and the names of the classes.
    let renamed: DataModel

    init(of model: ManagedObjectModel) {
        var names: [String: [String: String]] = [:]
        for entity in model.entities {
            var taken: Set<String> = []
            var properties: [String: String] = [:]
            for name in entity.attributes.map(\.name) + entity.relationships.map(\.name) {
                let wanted = SwiftName.propertyName(name)
                var (chosen, number) = (wanted, 1)
                while !taken.insert(chosen.lowercased()).inserted {
                    number += 1
                    chosen = wanted + String(number)
                }
                properties[name] = chosen
            }
            names[entity.name] = properties
        }
        let entities = model.entities.map { Self.renaming($0, names) }
        var classNames: [String: String] = [:]
        for entity in model.entities {
            let name = SwiftName.capitalizedWords(of: entity.name)
            classNames[entity.name] = name.isEmpty ? entity.name : name
        }
        do throws(ObjectStorageError) {
            renamed = DataModel(try ManagedObjectModel(entities: entities), classNames: classNames)
        } catch {
            // A name that the model refuses leaves all names as they are in the database.
            renamed = DataModel(model, classNames: classNames)
        }
    }

    private static func renaming(
        _ entity: EntityDescription, _ names: [String: [String: String]]
    ) -> EntityDescription {
        let own = names[entity.name] ?? [:]
        let attributes = entity.attributes.map { attribute in
            AttributeDescription(
                name: own[attribute.name] ?? attribute.name, type: attribute.type,
                isOptional: attribute.isOptional, defaultValue: attribute.defaultValue)
        }
        let relationships = entity.relationships.map { relationship in
            RelationshipDescription(
                name: own[relationship.name] ?? relationship.name,
                destinationEntityName: relationship.destinationEntityName,
                inverseName: relationship.inverseName.map {
                    names[relationship.destinationEntityName]?[$0] ?? $0
                }, isToMany: relationship.isToMany, isOptional: relationship.isOptional,
                isOrdered: relationship.isOrdered, deleteRule: relationship.deleteRule,
                allowedCount: relationship.allowedCount, renamingIdentifier: nil)
        }
        return EntityDescription(
            name: entity.name, attributes: attributes, relationships: relationships,
            existingTable: entity.existingTable.map { renaming($0, of: entity, own) })
    }

    private static func renaming(
        _ table: ExistingTable, of entity: EntityDescription, _ names: [String: String]
    ) -> ExistingTable {
        func renamed<Value>(_ values: [String: Value]) -> [String: Value] {
            Dictionary(
                values.map { (names[$0.key] ?? $0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        var columns: [String: String] = [:]
        for property in entity.attributes.map(\.name) + entity.toOneRelationships.map(\.name) {
            let column = table.columns[property] ?? property
            let name = names[property] ?? property
            if name != column { columns[name] = column }
        }
        return ExistingTable(
            name: table.name, primaryKey: table.primaryKey, columns: columns, forms: renamed(table.forms),
            links: renamed(table.links))
    }
}
