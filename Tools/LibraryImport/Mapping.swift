import Foundation
import SectionedFetch

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

        enum CodingKeys: String, CodingKey {
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

        enum CodingKeys: String, CodingKey { case name, column, entity, attribute, inverse }
    }

    /// The entity of the rows.
    var entity: String
    /// The attribute that tells rows apart: a row whose value is there already changes that object. Nil inserts every row.
    var key: String?
    /// The columns that become attributes.
    var attributes: [Attribute]
    /// The columns that become relationships.
    var relationships: [Relationship] = []

    enum CodingKeys: String, CodingKey { case entity, key, attributes, relationships }
}

extension Mapping {
    /// Reads a mapping file; what it does not know it refuses.
    static func read(path: String) throws -> Mapping {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw ImportError("The mapping “\(path)” cannot be read. Check the path.")
        }
        do {
            let known: [String: Set<String>] = [
                "": ["entity", "key", "attributes", "relationships"],
                "attributes": ["name", "column", "type", "optional", "indexed"],
                "relationships": ["name", "column", "entity", "attribute", "inverse"],
            ]
            try refuseUnknownKeys(in: try JSONSerialization.jsonObject(with: data), known: known, path: path)
            return try JSONDecoder().decode(Mapping.self, from: data)
        } catch let error as ImportError {
            throw error
        } catch {
            throw ImportError(
                "The mapping “\(path)” is not one: \(describe(error)). See library-import propose.")
        }
    }

    private static func refuseUnknownKeys(in object: Any, known: [String: Set<String>], path: String) throws {
        guard let top = object as? [String: Any] else {
            throw ImportError("The mapping “\(path)” is not a JSON object. See library-import propose.")
        }
        func check(_ keys: some Collection<String>, _ part: String) throws {
            for key in keys.sorted() where !(known[part] ?? []).contains(key) {
                throw ImportError(
                    "The mapping “\(path)” has an unknown key “\(key)”\(part.isEmpty ? "" : " in \(part)"). "
                        + "Known: \((known[part] ?? []).sorted().joined(separator: ", ")).")
            }
        }
        try check(top.keys, "")
        for part in ["attributes", "relationships"] {
            for entry in top[part] as? [[String: Any]] ?? [] { try check(entry.keys, part) }
        }
    }

    private static func describe(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "“\(key.stringValue)” is missing in \(place(context))"
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context):
            "\(context.debugDescription) (\(place(context)))"
        default: "it is not JSON"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty
            ? "the mapping"
            : context.codingPath.map { $0.intValue.map { "entry \($0 + 1)" } ?? $0.stringValue }.joined(
                separator: ", ")
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entity = try container.decode(String.self, forKey: .entity)
        key = try container.decodeIfPresent(String.self, forKey: .key)
        attributes = try container.decode([Attribute].self, forKey: .attributes)
        relationships = try container.decodeIfPresent([Relationship].self, forKey: .relationships) ?? []
    }

    /// The mapping as a file.
    func jsonText() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension Mapping.Attribute {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        column = try container.decodeIfPresent(String.self, forKey: .column) ?? name
        type = try container.decode(AttributeType.self, forKey: .type)
        isOptional = try container.decodeIfPresent(Bool.self, forKey: .isOptional) ?? true
        isIndexed = try container.decodeIfPresent(Bool.self, forKey: .isIndexed) ?? false
    }
}

extension Mapping.Relationship {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        column = try container.decodeIfPresent(String.self, forKey: .column) ?? name
        entity = try container.decode(String.self, forKey: .entity)
        attribute = try container.decodeIfPresent(String.self, forKey: .attribute) ?? "name"
        inverse =
            try container.decodeIfPresent(String.self, forKey: .inverse)
            ?? Mapping.inverseName(of: name)
    }
}

extension Mapping {
    /// The name of the way back where none is given: unique for each relationship.
    static func inverseName(of relationship: String) -> String { "objectsBy\(relationship.capitalized)" }
}

/// What stops an import, in words for people.
struct ImportError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
