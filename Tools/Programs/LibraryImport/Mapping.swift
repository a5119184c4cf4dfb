import Foundation
import SectionedFetch
import ToolSupport

/// A mapping of a file's columns to attributes and relationships of an entity.
struct Mapping: Codable, Equatable {
    /// A column that becomes an attribute.
    struct Attribute: Codable, Equatable {
        /// The attribute's name.
        var name: String
        /// The column's name.
        var column: String
        /// The attribute's type.
        var type: AttributeType
        /// Whether rows may have no value. An empty field is no value, except for strings: the empty text.
        var isOptional = true
        /// Whether the store has an index on the attribute.
        var isIndexed = false
        /// The form of the texts, or nil if it is that of the type.
        var form: TextForm?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case name, column, type, form
            case isOptional = "optional"
            case isIndexed = "indexed"
        }
    }

    /// A column with the names of the objects of a to-one relationship, which are looked up by name and
    /// created if absent.
    struct Relationship: Codable, Equatable {
        /// The relationship's name.
        var name: String
        /// The column with the destination object's name.
        var column: String
        /// The destination entity.
        var entity: String
        /// The attribute of the destination entity that the column is compared with.
        var attribute = "name"
        /// The inverse: a to-many relationship of the destination entity.
        var inverse: String
        /// The form of the texts, or nil if they are the names.
        var form: TextForm?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case name, column, entity, attribute, inverse, form
        }
    }

    /// The entity of the rows.
    var entity: String
    /// The attribute that identifies a row: a row with the key of an existing object updates that object.
    /// With nil, every row is inserted.
    var key: String?
    /// The columns that become attributes.
    var attributes: [Attribute]
    /// The columns that become relationships.
    var relationships: [Relationship] = []
    /// The columns with arrays whose elements become objects of other entities.
    var arrays: [ArrayColumn]?
    /// The columns that are not imported.
    ///
    /// With this list, a file with a column in neither list is refused. If such a field is found late in a
    /// pipe, the record with it is a bad record.
    var ignored: [String]?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case entity, key, attributes, relationships, arrays, ignored
    }
}

extension Mapping {
    /// Returns the text of a mapping file, with control characters escaped for display on a terminal.
    func jsonText() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return JSONValue.escaped(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}

extension Mapping {
    /// The columns that are imported.
    var columns: [String] {
        attributes.map(\.column) + relationships.map(\.column) + arrayColumns.map(\.column)
    }

    /// Returns the default name of a relationship's inverse, which is unique for each relationship.
    static func inverseName(of relationship: String) -> String { "objectsBy\(relationship.capitalized)" }
}

extension Mapping {
    /// A sentence about each column, and about the key.
    var descriptions: [String] {
        attributes.map { attribute in
            "“\(attribute.column)” becomes \(entity).\(attribute.name), \(attribute.type.rawValue)"
                + (attribute.name == key ? ", the key." : ".")
        }
            + relationships.map { relationship in
                "“\(relationship.column)” becomes \(entity).\(relationship.name), the \(relationship.entity) with this \(relationship.attribute)."
            } + arrayDescriptions
    }
}
