import SectionedFetch
import ToolSupport

/// The references to objects that do not exist, which a new store cannot have.
struct ClearedReferences {
    /// A reference that became nil.
    struct Example {
        /// The name of the entity and the key of the object that had the reference.
        let entity: String
        let key: Int64
        /// The name of the relationship, and the key that no object has.
        let relationship: String
        let missingKey: Int64
    }

    /// The largest number of examples.
    static let maximumExampleCount = 10

    /// The number of references.
    private(set) var count = 0
    /// The first references, in the order of the model's entities.
    private(set) var examples: [Example] = []

    /// Adds the references of a relationship.
    mutating func add(
        _ references: DanglingReferences, of relationship: RelationshipDescription,
        in entity: EntityDescription
    ) {
        count += references.count
        examples += references.examples.map {
            Example(
                entity: entity.name, key: $0.key, relationship: relationship.name, missingKey: $0.missingKey)
        }
    }

    /// Lines of text with the number and the examples; none if no reference was cleared.
    var lines: [String] {
        guard count > 0 else { return [] }
        var lines = [
            "\(Quantity.count(count, "reference")) to objects that the files do not have became nil:"
        ]
        lines += examples.map {
            "    \($0.entity) \($0.key): \($0.relationship) was the object \($0.missingKey)"
        }
        if count > examples.count { lines.append("    and \(Quantity.count(count - examples.count)) more") }
        return lines
    }

    /// The examples as JSON.
    var json: JSONValue {
        .array(
            examples.map {
                [
                    "entity": .string($0.entity), "objectID": .count(Int($0.key)),
                    "relationship": .string($0.relationship), "missing": .count(Int($0.missingKey)),
                ]
            })
    }
}
