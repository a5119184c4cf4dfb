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
        let list = bundle.appending(path: ".xccurrentversion")
        if let data = try? Data(contentsOf: list),
            let plist = try? PropertyListSerialization.propertyList(from: data, format: nil)
                as? [String: Any],
            let name = plist["_XCCurrentVersionName"] as? String
        {
            // The name is a file's name, not a path that could lead elsewhere.
            guard !name.contains("/"), name.hasSuffix(".xcdatamodel") else {
                throw ObjectStorageError(
                    .invalidModel, "“\(list.path)” names “\(name)”, which is no model of the bundle.")
            }
            return bundle.appending(path: name)
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: bundle.path)) ?? []
        let versions = names.filter { $0.hasSuffix(".xcdatamodel") }
        guard versions.count == 1 else {
            throw ObjectStorageError(
                .invalidModel,
                "“\(bundle.path)” holds \(versions.count) models and does not say which is the current one. Give the path of one of them."
            )
        }
        return bundle.appending(path: versions[0])
    }
}
