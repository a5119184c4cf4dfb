import Crypto
public import Foundation

extension ManagedObjectModel {
    /// A digest of all entities' versions: 32 bytes of SHA-256, independent of their order.
    public var versionDigest: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.append("model/1")
        for position in entities.indices.sorted(by: { entities[$0].name < entities[$1].name }) {
            encoder.append(entityDigests[position])
        }
        return Array(SHA256.hash(data: encoder.bytes))
    }

    /// A digest of the layout of a store of the model: the versions of the entities, and the indexes and
    /// derivations, which are not part of a version.
    package var storageDigest: [UInt8] {
        guard
            entities.contains(where: { entity in
                !entity.indexes.isEmpty
                    || entity.attributes.contains { $0.isIndexed || $0.derivation != nil }
            })
        else { return versionDigest }
        var encoder = CanonicalEncoder()
        encoder.append("storage/1")
        for position in entities.indices.sorted(by: { entities[$0].name < entities[$1].name }) {
            let entity = entities[position]
            encoder.append(entity.name)
            for attribute in entity.attributes where attribute.isIndexed { encoder.append(attribute.name) }
            for attribute in entity.attributes {
                guard let derivation = attribute.derivation else { continue }
                encoder.append("derived")
                encoder.append(attribute.name)
                encoder.append(derivation.expression)
            }
            for list in entity.indexes {
                encoder.append("index")
                for name in list { encoder.append(name) }
            }
        }
        return Array(SHA256.hash(data: encoder.bytes + versionDigest))
    }

    /// Returns this model without the entities that `other` lacks; nil if the rest is not a valid model.
    ///
    /// The digest of an entity depends on its sub-entities, so two versions are compared by the entities that
    /// both contain.
    package func restricted(to other: ManagedObjectModel) -> ManagedObjectModel? {
        do {
            return try ManagedObjectModel(entities: entities.filter { other.entity(named: $0.name) != nil })
        } catch {
            return nil
        }
    }

    /// Returns the digest of an entity's version, which was computed with the model; nil if the model has no
    /// such entity.
    package func versionDigest(ofEntityNamed name: String) -> [UInt8]? {
        entities.firstIndex { $0.name == name }.map { entityDigests[$0] }
    }
}

extension ManagedObjectModel {
    /// Returns the model as JSON: a list of entities, with sorted keys.
    ///
    /// Default values are left out, as in a file written by hand. Classes are not included.
    ///
    /// - Throws: `EncodingError` for a default value or the bound of a rule that is infinite, which JSON
    ///   cannot represent.
    /// - Complexity: O(*n*) in the size of the text.
    public func jsonText() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(entities), as: UTF8.self)
    }

    /// Reads a model from JSON: a list of entities.
    ///
    /// ```json
    /// [{"name": "Artist",
    ///   "attributes": [{"name": "name", "type": "string", "isUnique": true}],
    ///   "relationships": [{"name": "works", "destinationEntityName": "Work", "isToMany": true,
    ///                      "inverseName": "artist"}]},
    ///  {"name": "Work",
    ///   "attributes": [{"name": "title", "type": "string", "defaultValue": ""}],
    ///   "relationships": [{"name": "artist", "destinationEntityName": "Artist"}]}]
    /// ```
    ///
    /// An entity that inherits names its parent, `"parentName": "Work"`, and lists only the properties that
    /// it declares itself.
    ///
    /// - Parameter jsonText: The text of a JSON array with one object for each entity.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` for text that is not
    ///   JSON or not a model, with the position in the text.
    public init(jsonText: String) throws(ObjectStorageError) {
        let entities: [EntityDescription]
        do {
            entities = try JSONDecoder().decode([EntityDescription].self, from: Data(jsonText.utf8))
        } catch let error as DecodingError {
            throw ObjectStorageError(.invalidModel, "The text is not a model: \(Self.explain(error)).")
        } catch {
            throw ObjectStorageError(.invalidModel, "The text is not a model: \(error).")
        }
        try self.init(entities: entities)
    }

    /// Reads a model from a JSON file.
    ///
    /// - Parameter url: The location of a file of UTF-8 text.
    /// - Throws: As ``init(jsonText:)``, with the file's path; and for a file that cannot be read.
    public init(contentsOf url: URL) throws(ObjectStorageError) {
        let text: String
        do {
            text = try String(contentsOf: url, encoding: .utf8)
        } catch {
            throw ObjectStorageError(
                .invalidModel, "“\(url.path)”: the file cannot be read as UTF-8 text (\(error)).")
        }
        do {
            try self.init(jsonText: text)
        } catch {
            throw error.naming(url.path)
        }
    }

    /// Describes the error and its coding path: `[0].attributes[2].type`.
    private static func explain(_ error: DecodingError) -> String {
        func codingPath(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
            let path = (context.codingPath + (key.map { [$0] } ?? [])).map { key in
                key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
            }
            return path.isEmpty ? "at the top" : "at " + path.joined()
        }
        switch error {
        case .keyNotFound(let key, let context):
            return "\(codingPath(context)), “\(key.stringValue)” is missing"
        case .dataCorrupted(let context) where context.codingPath.last?.stringValue == "type":
            let types = AttributeType.allCases.map(\.rawValue).joined(separator: ", ")
            let words = context.debugDescription
            let name = words.firstRange(of: "value ").map { "“\(words[$0.upperBound...])”" } ?? "the text"
            return
                "\(codingPath(context)): \(name) is no type of this version of the library, which has \(types). Correct it, or use the newer version that wrote the model"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            let reason = context.debugDescription
            return "\(codingPath(context)): \(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)"
        @unknown default: return "\(error)"
        }
    }
}
