import Foundation
import SectionedFetch
import ToolSupport

/// Which columns of a file become which attributes and relationships of which entity.
struct Mapping: Codable, Equatable {
    /// One column that becomes an attribute.
    struct Attribute: Codable, Equatable {
        /// The attribute's name.
        var name: String
        /// The column's name.
        var column: String
        /// The attribute's type.
        var type: AttributeType
        /// Whether it may have no value. An empty field is no value, but for strings the empty text.
        var isOptional = true
        /// Whether an index is kept over it.
        var isIndexed = false

        enum CodingKeys: String, CodingKey, CaseIterable {
            case name, column, type
            case isOptional = "optional"
            case isIndexed = "indexed"
        }
    }

    /// One column that names an object to which a to-one relationship leads; looked up by that name, or made.
    struct Relationship: Codable, Equatable {
        /// The relationship's name.
        var name: String
        /// The column with the other object's name.
        var column: String
        /// The other object's entity.
        var entity: String
        /// The attribute of that entity that the column is compared with.
        var attribute = "name"
        /// The to-many relationship of that entity that leads back.
        var inverse: String

        enum CodingKeys: String, CodingKey, CaseIterable { case name, column, entity, attribute, inverse }
    }

    /// The entity of the rows.
    var entity: String
    /// The attribute that tells rows apart: a row whose value is there already changes that object. Nil
    /// inserts every row.
    var key: String?
    /// The columns that become attributes.
    var attributes: [Attribute]
    /// The columns that become relationships.
    var relationships: [Relationship] = []
    /// The columns of which nothing becomes. If there is such a list, a file with a column that is in no list
    /// is refused; where it is found late in a pipe, the record with it is a bad one.
    var ignored: [String]?

    enum CodingKeys: String, CodingKey, CaseIterable { case entity, key, attributes, relationships, ignored }
}

extension Mapping {
    /// The mapping as a file, which is safe to look at as well.
    func jsonText() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return JSONValue.escaped(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}

extension Mapping {
    /// The columns that are used.
    var columns: [String] { attributes.map(\.column) + relationships.map(\.column) }

    /// The name of the way back where none is given: unique for each relationship.
    static func inverseName(of relationship: String) -> String { "objectsBy\(relationship.capitalized)" }
}
