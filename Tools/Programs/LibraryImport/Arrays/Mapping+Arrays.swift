import InternalUtilities
import SectionedFetch
import ToolSupport

extension Mapping {
    /// A column with JSON arrays whose elements become objects of another entity, related to the row.
    struct ArrayColumn: Codable, Equatable {
        /// The kind of the elements.
        enum Elements: String, Codable {
            /// Objects with members.
            case objects
            /// Texts, numbers and Boolean values.
            case values
        }

        /// The to-many relationship of the row.
        var name: String
        /// The column's name.
        var column: String
        /// The entity of the elements.
        var entity: String
        /// The to-one relationship of an element to its row.
        var inverse: String
        /// The attribute with the position of an element in its array, from 0.
        var position = "position"
        /// The kind of the elements.
        var elements = Elements.objects
        /// The members that become attributes. The only one of an element that is a value has the column
        /// `value`.
        var attributes: [Attribute]
        /// The members with arrays whose elements become objects.
        var arrays: [ArrayColumn]?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case name, column, entity, inverse, position, elements, attributes, arrays
        }

        /// The arrays of the elements.
        var nested: [ArrayColumn] { arrays ?? [] }
        /// This array and those of its elements.
        var all: [ArrayColumn] { [self] + nested.flatMap(\.all) }
    }

    /// The columns with arrays whose elements become objects, without those of elements.
    var arrayColumns: [ArrayColumn] { arrays ?? [] }

    /// The number of values of a row in a chunk: attributes, relationships, then arrays.
    var width: Int { attributes.count + relationships.count + arrayColumns.count }

    /// A sentence about each array.
    var arrayDescriptions: [String] {
        func descriptions(_ array: ArrayColumn, of entity: String) -> [String] {
            [
                "“\(array.column)” becomes \(entity).\(array.name), objects of \(array.entity) in the order of \(array.position)."
            ]
                + array.nested.flatMap { descriptions($0, of: array.entity) }
        }
        return arrayColumns.flatMap { descriptions($0, of: entity) }
    }

    /// Returns the entities of the arrays that the store does not have, and the relationships of the rows to
    /// their elements.
    ///
    /// - Throws: ``ToolFailure`` if an entity of that name exists.
    func entities(
        ofArraysBeside known: ManagedObjectModel?, others: [String]
    ) throws(ToolFailure) -> (entities: [EntityDescription], relationships: [RelationshipDescription]) {
        var names = Set(others + [entity] + (known?.entities.map(\.name) ?? []))
        var entities: [EntityDescription] = []
        func add(_ array: ArrayColumn, of parent: String) throws(ToolFailure) {
            guard names.insert(array.entity).inserted else {
                throw ToolFailure(
                    "The elements of “\(array.column)” would become the entity “\(array.entity)”, which exists already. Give the array another entity in a mapping."
                )
            }
            for nested in array.nested { try add(nested, of: array.entity) }
            entities.append(
                EntityDescription(
                    name: array.entity,
                    attributes: array.attributes.map {
                        AttributeDescription(
                            name: $0.name, type: $0.type, isOptional: $0.isOptional, isIndexed: $0.isIndexed)
                    } + [AttributeDescription(name: array.position, type: .integer64)],
                    relationships: [.toOne(array.inverse, to: parent, inverse: array.name)]
                        + array.nested.map(Self.relationship)))
        }
        for array in arrayColumns { try add(array, of: entity) }
        return (entities, arrayColumns.map(Self.relationship))
    }

    private static func relationship(_ array: ArrayColumn) -> RelationshipDescription {
        .toMany(array.name, to: array.entity, inverse: array.inverse, deleteRule: .cascade)
    }

    /// Checks that the store has the entities of the arrays with the attributes and relationships of the
    /// mapping.
    ///
    /// - Throws: ``ToolFailure`` that names what differs.
    func requireArrays(of model: ManagedObjectModel) throws(ToolFailure) {
        func check(_ array: ArrayColumn, of parent: String) throws(ToolFailure) {
            let description = model.entity(named: array.entity)
            guard let description,
                description.toOneRelationships.contains(where: {
                    $0.name == array.inverse && $0.destinationEntityName == parent
                })
            else {
                throw ToolFailure(
                    "The elements of “\(array.column)” cannot be objects of “\(array.entity)”: the store has no such entity with a to-one relationship “\(array.inverse)” to “\(parent)”. Import “\(array.column)” as text with --arrays text, or import into a new store."
                )
            }
            let names = description.attributes.map(\.name)
            for (name, type) in array.attributes.map({ ($0.name, $0.type) }) + [
                (array.position, AttributeType.integer64)
            ] {
                guard let known = description.attribute(named: name), known.type == type else {
                    throw ToolFailure(
                        "“\(array.entity)” of the store has no attribute “\(name)” of type \(type.rawValue), which the array “\(array.column)” needs. \(NearestName.suggestion(for: name, among: names))"
                    )
                }
            }
            for nested in array.nested { try check(nested, of: array.entity) }
        }
        for array in arrayColumns { try check(array, of: entity) }
    }
}
