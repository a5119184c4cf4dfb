import Foundation
import ObjectStorage

/// A model file, or a bundle in which Apple's tools store the versions of a model.
struct DataModelBundle {
    private let url: URL

    /// The size of the largest model that is read, in bytes.
    private static let maximumByteCount = 16 << 20

    init(_ url: URL) { self.url = url }

    /// The extension of the versions in the bundle; nil for a file, or a bundle of one version.
    private var versionExtension: String? {
        switch url.pathExtension {
        case "xcdatamodeld": "xcdatamodel"
        case "momd": "mom"
        default: nil
        }
    }

    /// Returns the file with a version, and the version's name.
    ///
    /// - Parameter version: The name, with or without its extension; nil for the current version.
    func file(ofVersion version: String?) throws(ObjectStorageError) -> (file: URL, name: String?) {
        guard let suffix = versionExtension else {
            if let version, version != url.deletingPathExtension().lastPathComponent {
                throw ObjectStorageError(
                    .invalidModel,
                    "“\(url.path)” is one version of a model, not “\(version)”. Pass the .xcdatamodeld or .momd bundle."
                )
            }
            switch url.pathExtension {
            case "xcdatamodel":
                return (url.appending(path: "contents"), url.deletingPathExtension().lastPathComponent)
            case "mom": return (url, url.deletingPathExtension().lastPathComponent)
            default: return (url, nil)
            }
        }
        let names = try versionNames()
        var name = version ?? ""
        if version == nil { name = try currentVersion(among: names) }
        if name.hasSuffix("." + suffix) { name.removeLast(suffix.count + 1) }
        // Only names in the directory are accepted, because a path could lead outside the bundle.
        guard names.contains(name) else {
            throw ObjectStorageError(
                .invalidModel,
                "“\(url.path)” has no version “\(name)”. It has: \(names.joined(separator: ", ")).")
        }
        let file = url.appending(path: "\(name).\(suffix)")
        return (suffix == "mom" ? file : file.appending(path: "contents"), name)
    }

    /// Returns the names of the versions, sorted, without extensions; empty for a file.
    func versionNames() throws(ObjectStorageError) -> [String] {
        guard let suffix = versionExtension else { return [] }
        return try fileNames().filter { $0.hasSuffix("." + suffix) }.map {
            String($0.dropLast(suffix.count + 1))
        }
        .sorted()
    }

    /// Returns the bytes of a file.
    static func data(of file: URL) throws(ObjectStorageError) -> Data {
        do {
            let data = try Data(contentsOf: file)
            guard data.count <= maximumByteCount else {
                throw ObjectStorageError(
                    .invalidModel, "The file has \(data.count) bytes; the limit is \(maximumByteCount).")
            }
            return data
        } catch let error as ObjectStorageError {
            throw error
        } catch {
            throw ObjectStorageError(
                .invalidModel,
                "The file cannot be read (\(error.localizedDescription)). Pass a .xcdatamodeld, .xcdatamodel or .momd bundle, a .mom file, or the file “contents” of a model."
            )
        }
    }

    private func fileNames() throws(ObjectStorageError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw ObjectStorageError(
                .invalidModel,
                "The bundle “\(url.path)” cannot be read (\(error.localizedDescription)). Check the path.")
        }
    }

    /// Returns the version that the bundle names as the current one, or the only version if it names none.
    ///
    /// - Throws: ``ObjectStorageError`` for an invalid list. A version chosen in its place could be outdated.
    private func currentVersion(among names: [String]) throws(ObjectStorageError) -> String {
        let (list, key) =
            versionExtension == "mom"
            ? ("VersionInfo.plist", "NSManagedObjectModel_CurrentVersionName")
            : (".xccurrentversion", "_XCCurrentVersionName")
        guard try fileNames().contains(list) else {
            guard names.count == 1 else {
                throw ObjectStorageError(
                    .invalidModel,
                    "“\(url.path)” contains \(names.count) models and does not name the current one. Pass the name of a version, or the path of one of the models."
                )
            }
            return names[0]
        }
        let file = url.appending(path: list)
        let name = try Self.text(forKey: key, in: file)
        let suffix = "." + (versionExtension ?? "")
        guard names.contains(name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name) else {
            throw ObjectStorageError(
                .invalidModel,
                "“\(file.path)” names “\(name)”, which is not a model of the bundle. Pass the name of a version, or the path of one of its models."
            )
        }
        return name
    }

    /// Returns the text of a key in a property list.
    private static func text(forKey key: String, in file: URL) throws(ObjectStorageError) -> String {
        let bytes = try data(of: file)
        if BinaryPropertyList.isBeginning(of: bytes) {
            let list = try BinaryPropertyList.modelFile(bytes)
            if let position = list.position(of: key, in: list.top),
                case .text(let text) = list.objects[position]
            {
                return text
            }
        } else {
            do {
                let plist = try PropertyListSerialization.propertyList(from: bytes, format: nil)
                if let text = (plist as? [String: Any])?[key] as? String { return text }
            } catch {
                throw ObjectStorageError(
                    .invalidModel,
                    "“\(file.path)” is not a property list (\(error.localizedDescription)). Pass the name of a version, or the path of a model in the bundle."
                )
            }
        }
        throw ObjectStorageError(
            .invalidModel,
            "“\(file.path)” does not name a current version. Pass the name of a version, or the path of a model in the bundle."
        )
    }

    /// Returns the hashes of the entities of each version that a `.momd` bundle lists, by the names of
    /// versions and entities; empty for other files.
    ///
    /// - Throws: ``ObjectStorageError`` for a damaged list.
    func versionHashes() throws(ObjectStorageError) -> [String: [String: [UInt8]]] {
        guard versionExtension == "mom", try fileNames().contains("VersionInfo.plist") else { return [:] }
        let bytes = try Self.data(of: url.appending(path: "VersionInfo.plist"))
        let key = "NSManagedObjectModel_VersionHashes"
        guard BinaryPropertyList.isBeginning(of: bytes) else {
            do {
                let plist = try PropertyListSerialization.propertyList(from: bytes, format: nil)
                let versions = (plist as? [String: Any])?[key] as? [String: [String: Data]] ?? [:]
                return versions.mapValues { $0.mapValues { Array($0) } }
            } catch {
                throw ObjectStorageError(
                    .invalidModel,
                    "“VersionInfo.plist” is not a property list (\(error.localizedDescription)). Copy the bundle from the app again, or pass one of its .mom files."
                )
            }
        }
        let list = try BinaryPropertyList.modelFile(bytes)
        guard let position = list.position(of: key, in: list.top) else { return [:] }
        return list.entries(of: position).mapValues { version in
            list.entries(of: version).compactMapValues { list.bytes(at: $0) }
        }
    }
}
