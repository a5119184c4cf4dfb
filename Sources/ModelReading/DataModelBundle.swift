import Foundation
import ObjectStorage

/// The bundles in which Apple's tools store models.
enum DataModelBundle {
    /// The size of the largest model that is read, in bytes.
    private static let maximumByteCount = 16 << 20

    /// Returns the file with the XML of a bundle.
    static func contents(of url: URL) throws(ObjectStorageError) -> URL {
        switch url.pathExtension {
        case "xcdatamodel": return url.appending(path: "contents")
        case "xcdatamodeld": return try currentVersion(of: url).appending(path: "contents")
        default: return url
        }
    }

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
                "The file cannot be read (\(error.localizedDescription)). Pass a .xcdatamodeld or .xcdatamodel bundle, or the file “contents” in it."
            )
        }
    }

    /// Returns the version that `.xccurrentversion` names, or the only version if that file does not exist.
    private static func currentVersion(of bundle: URL) throws(ObjectStorageError) -> URL {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: bundle.path)
        } catch {
            throw ObjectStorageError(
                .invalidModel,
                "The bundle “\(bundle.path)” cannot be read (\(error.localizedDescription)). Check the path.")
        }
        let list = ".xccurrentversion"
        if names.contains(list) {
            let name = try currentVersionName(in: bundle.appending(path: list))
            // The name must be a file name, because a path could lead outside the bundle.
            guard !name.contains("/"), name.hasSuffix(".xcdatamodel"), names.contains(name) else {
                throw ObjectStorageError(
                    .invalidModel,
                    "“\(bundle.path)/\(list)” names “\(name)”, which is not a model of the bundle. Pass the path of one of its models."
                )
            }
            return bundle.appending(path: name)
        }
        let versions = names.filter { $0.hasSuffix(".xcdatamodel") }
        guard versions.count == 1 else {
            throw ObjectStorageError(
                .invalidModel,
                "“\(bundle.path)” contains \(versions.count) models and does not name the current one. Pass the path of one of its models."
            )
        }
        return bundle.appending(path: versions[0])
    }

    /// Returns the name of the current version from the file `.xccurrentversion`.
    ///
    /// - Throws: ``ObjectStorageError`` for an invalid file. No version is chosen instead, because it could
    ///   be an old one.
    private static func currentVersionName(in list: URL) throws(ObjectStorageError) -> String {
        let bytes = try data(of: list)
        do {
            let plist = try PropertyListSerialization.propertyList(from: bytes, format: nil)
            if let name = (plist as? [String: Any])?["_XCCurrentVersionName"] as? String { return name }
        } catch {
            throw ObjectStorageError(
                .invalidModel,
                "“\(list.path)” is not a property list (\(error.localizedDescription)). Pass the path of a model in the bundle."
            )
        }
        throw ObjectStorageError(
            .invalidModel,
            "“\(list.path)” does not name a current version. Pass the path of a model in the bundle.")
    }
}
