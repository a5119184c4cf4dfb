import Crypto
import Foundation

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

    /// The digest of an entity's version, which was computed with the model; nil if there is no such entity.
    func versionDigest(ofEntityNamed name: String) -> [UInt8]? {
        entities.firstIndex { $0.name == name }.map { entityDigests[$0] }
    }

    /// The model as JSON, as a store keeps it.
    func jsonText() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(entities), as: UTF8.self)
    }

    /// Reads a model that ``jsonText()`` wrote.
    init(jsonText: String) throws {
        try self.init(entities: JSONDecoder().decode([EntityDescription].self, from: Data(jsonText.utf8)))
    }
}
