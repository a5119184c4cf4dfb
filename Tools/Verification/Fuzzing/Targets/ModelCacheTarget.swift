import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage

/// The compressed model in a store of Core Data, which is decompressed, read and mapped to tables.
struct ModelCacheTarget: FuzzTarget {
    static let name = "model-cache"
    static let summary = "the models in Core Data's stores"
    static let words: [[UInt8]] =
        [
            "bplist00", "$null", "$class", "$classname", "NS.keys", "NS.objects", "NSEntities",
            "NSManagedObjectModel", "NSEntityDescription", "NSProperties", "NSSuperentity",
            "NSRelationshipDescription", "NSDerivedAttributeDescription", "_NSInverseRelationshipName",
            "_NSDestinationEntityName", "NSMaxCount", "NSIsOrdered", "NSAttributeType", "NSFlagsKey",
        ].map { Array($0.utf8) } + [
            [0x83, 0, 0, 0, 1], [0xD2, 1, 2, 3, 4], [0x5F, 0x10, 0xFF], [0x01, 0xFF],
        ]
    /// The largest decompressed model. Larger ones only take longer.
    private static let maximumByteCount = 1 << 20

    func run(_ input: [UInt8]) throws -> Bool {
        do throws(ObjectStorageError) {
            let model = try ModelCache.mapped(ModelCache.model(of: input, limit: Self.maximumByteCount))
            guard model.entities.allSatisfy({ $0.existingTable != nil }) else {
                throw ObjectStorageError(.database, "an entity has no table")
            }
            return true
        } catch {
            guard error.code == .invalidModel, !error.message.isEmpty else {
                throw FuzzFinding("the error is of another kind: \(error.message)")
            }
            return false
        }
    }

    static func seeds() throws -> [FuzzSeed] {
        let whole = stored([UInt8](archive(ancestry: [nil, "A", "B"])))
        return [
            FuzzSeed("family", whole),
            FuzzSeed("single", stored([UInt8](archive(ancestry: [nil])))),
            FuzzSeed("empty", stored([UInt8](archive(ancestry: [])))),
            FuzzSeed("cycle", stored([UInt8](archive(ancestry: ["C", "A", "B"])))),
            FuzzSeed("short", Array(whole.dropLast(40))),
            FuzzSeed("longer", whole + [0, 0]),
            FuzzSeed("no-archive", stored(Array("bplist00".utf8))),
            FuzzSeed("reserved-block", [7]),
        ]
    }

    /// Returns bytes as raw DEFLATE data in blocks that are not compressed, so that mutations reach the
    /// model.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt16(clamping: bytes.count)
        let block = bytes.prefix(Int(length))
        return [1, UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8)] + block
    }

    /// Returns the archive of a model with the entities A, B and C, whose parents are given. Each has an
    /// attribute, and a relationship to the next one.
    private static func archive(ancestry: [String?]) -> Data {
        var archive = ForgedArchive()
        let names = ["A", "B", "C"].prefix(ancestry.count)
        let classes = [
            "NSManagedObjectModel", "NSEntityDescription", "NSAttributeDescription",
            "NSRelationshipDescription", "NSDictionary",
        ].reduce(into: [String: Int]()) { $0[$1] = archive.archive(className: $1) }
        func object(_ className: String, _ entries: [(key: String, value: Int)]) -> Int {
            let type = archive.reference(classes[className] ?? 0)
            return archive.archive(archive.dictionary([("$class", type)] + entries))
        }
        func reference(_ number: Int) -> Int { archive.reference(number) }
        func text(_ text: String) -> Int { reference(archive.archive(archive.text(text))) }
        func dictionary(_ entries: [(String, Int)]) -> Int {
            let keys = archive.array(entries.map { text($0.0) })
            let values = archive.array(entries.map { reference($0.1) })
            return object("NSDictionary", [("NS.keys", keys), ("NS.objects", values)])
        }
        var entities: [(String, Int)] = []
        for (position, name) in names.enumerated() {
            let next = names[(position + 1) % names.count]
            let attribute = object(
                "NSAttributeDescription",
                [
                    ("NSPropertyName", text("name")),
                    ("NSAttributeType", archive.integer(position == 2 ? 7 : 700)),
                ])
            let relationship = object(
                "NSRelationshipDescription",
                [
                    ("NSPropertyName", text("next\(name)")), ("_NSDestinationEntityName", text(next)),
                    ("_NSInverseRelationshipName", text("next\(next)")),
                    ("NSMaxCount", archive.integer(Int64(position))),
                    ("NSIsOrdered", archive.integer(Int64(position))), ("NSDeleteRule", archive.integer(1)),
                ])
            let properties = dictionary([("name\(name)", attribute), ("next\(name)", relationship)])
            var entries = [("NSEntityName", text(name)), ("NSProperties", reference(properties))]
            if let parent = ancestry[position] {
                let parentObject = object("NSEntityDescription", [("NSEntityName", text(parent))])
                entries.append(("NSSuperentity", reference(parentObject)))
            }
            entities.append((name, object("NSEntityDescription", entries)))
        }
        let root = object("NSManagedObjectModel", [("NSEntities", reference(dictionary(entities)))])
        return archive.data(root: root)
    }
}
