import Foundation
import ObjectStorage

/// The metadata of a Core Data store, in `Z_METADATA`.
struct CoreDataMetadata {
    /// The UUID of the store, as text.
    var uuid: String?
    /// The version of the framework that wrote the store.
    var frameworkVersion: Int?
    /// The identifiers of the version of the model.
    var modelVersionIdentifiers: [String] = []
    /// The hashes of the entities by their names.
    var versionHashes: [String: [UInt8]] = [:]
    /// The reason why the property list could not be read; nil if it could be read.
    private(set) var damage: String?

    /// The largest property list that is read, in bytes.
    private static let maximumByteCount: Int64 = 16 << 20

    /// The bytes of the property list; empty if it is missing.
    private(set) var propertyList: [UInt8] = []

    /// Reads the metadata. A missing or damaged part stays empty, because no row depends on it.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    init(of store: PreservedStore) throws(ObjectStorageError) {
        self.init(rows: try store.rows(Self.selection))
    }

    /// The statement that reads the row of the metadata.
    static let selection =
        "SELECT Z_UUID, CASE WHEN length(Z_PLIST) <= \(maximumByteCount) THEN Z_PLIST END FROM main.Z_METADATA LIMIT 1"

    /// Reads the metadata in the row of ``selection``.
    init(rows: [[StoredValue]]) {
        guard let row = rows.first else { return }
        if case .text(let text) = row[0] { uuid = text }
        guard case .blob(let bytes) = row[1] else {
            damage = "it is not there, or has more than \(Self.maximumByteCount) bytes"
            return
        }
        propertyList = bytes
        let data = Data(bytes)
        do {
            if BinaryPropertyList.isBeginning(of: data) {
                read(try BinaryPropertyList(data))
            } else {
                let list = try PropertyListSerialization.propertyList(from: data, format: nil)
                read(list as? [String: Any] ?? [:])
            }
        } catch let error as BinaryPropertyList.Damage {
            damage = error.reason
        } catch {
            damage = error.localizedDescription
        }
    }

    private mutating func read(_ list: BinaryPropertyList) {
        let entries = list.entries(of: list.top)
        if let position = entries["NSPersistenceFrameworkVersion"],
            case .integer(let number) = list.objects[position]
        {
            frameworkVersion = Int(clamping: number)
        }
        if let position = entries["NSStoreModelVersionIdentifiers"],
            case .array(let positions) = list.objects[position]
        {
            modelVersionIdentifiers = positions.compactMap {
                if case .text(let text) = list.objects[$0] { text } else { nil }
            }
        }
        if let position = entries["NSStoreModelVersionHashes"] {
            versionHashes = list.entries(of: position).compactMapValues { list.bytes(at: $0) }
        }
    }

    private mutating func read(_ list: [String: Any]) {
        frameworkVersion = list["NSPersistenceFrameworkVersion"] as? Int
        modelVersionIdentifiers = list["NSStoreModelVersionIdentifiers"] as? [String] ?? []
        let hashes = list["NSStoreModelVersionHashes"] as? [String: Data] ?? [:]
        versionHashes = hashes.mapValues { Array($0) }
    }
}
