import Foundation
import ObjectStorage

/// The directories in which Apple's tools keep models.
enum DataModelBundle {
    /// The most bytes of a model that are read.
    private static let maximumByteCount = 16 << 20

    /// The file with the XML of a bundle.
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
                    .invalidModel, "The file has \(data.count) bytes; up to \(maximumByteCount) are read.")
            }
            return data
        } catch let error as ObjectStorageError {
            throw error
        } catch {
            throw ObjectStorageError(
                .invalidModel,
                "The file cannot be read (\(error.localizedDescription)). Give a .xcdatamodeld or .xcdatamodel bundle, or the file “contents” in it."
            )
        }
    }

    /// The version that `.xccurrentversion` names; without that file, the only one.
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
            // The name is a file's name, not a path that could lead elsewhere.
            guard !name.contains("/"), name.hasSuffix(".xcdatamodel"), names.contains(name) else {
                throw ObjectStorageError(
                    .invalidModel,
                    "“\(bundle.path)/\(list)” names “\(name)”, which is no model of the bundle. Give the path of one of them."
                )
            }
            return bundle.appending(path: name)
        }
        let versions = names.filter { $0.hasSuffix(".xcdatamodel") }
        guard versions.count == 1 else {
            throw ObjectStorageError(
                .invalidModel,
                "“\(bundle.path)” holds \(versions.count) models and does not say which is the current one. Give the path of one of them."
            )
        }
        return bundle.appending(path: versions[0])
    }

    /// - Throws: ``ObjectStorageError`` for a file that is none of Apple's: whichever version was taken
    ///   instead could be an old one.
    private static func currentVersionName(in list: URL) throws(ObjectStorageError) -> String {
        let bytes = try data(of: list)
        do {
            let plist = try PropertyListSerialization.propertyList(from: bytes, format: nil)
            if let name = (plist as? [String: Any])?["_XCCurrentVersionName"] as? String { return name }
        } catch {
            throw ObjectStorageError(
                .invalidModel,
                "“\(list.path)” is no property list (\(error.localizedDescription)). Give the path of a model in the bundle."
            )
        }
        throw ObjectStorageError(
            .invalidModel,
            "“\(list.path)” names no current version. Give the path of a model in the bundle.")
    }
}
