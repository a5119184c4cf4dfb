package import Foundation
package import ObjectStorage

/// A Core Data model as needed to read the rows of a store: every attribute and relationship, without the
/// rules that matter only when objects are saved.
///
/// The entities are not validated. Attributes whose types the library does not know are described as bytes.
package struct StoredModel: Sendable {
    /// The entities with the properties that they declare themselves.
    package var entities: [EntityDescription] = []
    /// The attributes that may have values in files beside the store, by entity.
    package var externalAttributes: [String: Set<String>] = [:]
    /// The names of the classes of the objects, by entity.
    package var classNames: [String: String] = [:]
    /// The identifiers of the model's version.
    package var versionIdentifiers: [String] = []
    /// The properties that the entities lack, and those that are described as bytes.
    package var unsupportedParts: [UnsupportedModelPart] = []

    /// The rules for writing, if they were requested.
    package var rules: Rules?

    /// Reads the model of a store's cache: a keyed archive.
    ///
    /// - Parameter includesRules: Whether the rules that matter only when objects are saved are read as well.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` for damaged data, or
    ///   data that are not a model.
    /// - Complexity: O(*n*) in the number of bytes.
    package init(archive: Data, includesRules: Bool = false) throws(ObjectStorageError) {
        self.init(try DataModelContents(archive: archive), includesRules: includesRules)
    }

    private init(_ contents: DataModelContents, includesRules: Bool) {
        versionIdentifiers = contents.versionIdentifiers
        if includesRules { rules = Rules(of: contents) }
        for entity in contents.entities {
            entities.append(entity.storedDescription(&unsupportedParts, &rules))
            let external = entity.attributes.filter { $0.flag("allowsExternalBinaryDataStorage") }
            externalAttributes[entity.name] = Set(external.compactMap { $0["name"] })
            classNames[entity.name] = entity.className
        }
    }
}

extension StoredModel {
    /// A version of a model in a file or a bundle.
    package struct Version: Sendable {
        /// The name of the version; nil for a file outside a bundle.
        package let name: String?
        /// The hashes of the entities by their names, if the bundle lists them.
        package let hashes: [String: [UInt8]]?
        /// The model.
        package let model: StoredModel
    }

    /// Reads all versions of a model.
    ///
    /// - Parameters:
    ///   - url: A `.xcdatamodeld`, `.xcdatamodel` or `.momd` bundle, or a `.mom` file.
    ///   - includesRules: Whether the rules that matter only when objects are saved are read as well.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` if any of them cannot
    ///   be read.
    package static func versions(
        at url: URL, includesRules: Bool = false
    ) throws(ObjectStorageError) -> [Version] {
        let bundle = DataModelBundle(url)
        let hashes = try bundle.versionHashes()
        let names: [String?] = try bundle.versionNames()
        var versions: [Version] = []
        for name in names.isEmpty ? [nil] : names {
            let (file, versionName) = try bundle.file(ofVersion: name)
            do throws(ObjectStorageError) {
                let contents = try DataModel.contents(of: DataModelBundle.data(of: file))
                versions.append(
                    Version(
                        name: versionName, hashes: versionName.flatMap { hashes[$0] },
                        model: StoredModel(contents, includesRules: includesRules)))
            } catch {
                throw error.replacing(message: "“\(file.path)”: \(error.message)")
            }
        }
        return versions
    }
}
