public import Foundation
public import ObjectStorage

/// A Core Data model that was read from a file of Apple's tools: the model, the parts of the file that the
/// library does not support, and the version.
///
/// ```swift
/// let file = try DataModel(contentsOf: url)
/// for part in file.unsupportedParts { print(part) }
/// let container = try PersistentContainer(inMemoryWith: file.model)
/// ```
public struct DataModel: Sendable {
    /// The model, with every supported part of the file.
    public let model: ManagedObjectModel
    /// The parts of the file that the library does not support, in the order of the file.
    public let unsupportedParts: [UnsupportedModelPart]
    /// The name of the version that was read, without an extension; nil for a file outside a bundle.
    public let versionName: String?
    /// The identifiers of the version in its file; empty if there are none.
    public let versionIdentifiers: [String]
    /// The names of the classes that the file names for the objects, by entity; entities without such a class
    /// are omitted.
    public let classNames: [String: String]
    /// The names of the types that the file names for the values of transformable attributes, by entity and
    /// attribute.
    public let transformableTypeNames: [String: [String: String]]

    /// Reads a model.
    ///
    /// - Parameters:
    ///   - url: The source of a model: a `.xcdatamodeld` or `.xcdatamodel` bundle, or the file `contents` in
    ///     it; or a compiled model: a `.momd` bundle or a `.mom` file.
    ///   - version: The name of a version in a bundle with several, with or without its extension; nil for
    ///     the current one.
    /// - Throws: ``/ObjectStorage/ObjectStorageError`` with
    ///   ``/ObjectStorage/ObjectStorageError/Code/invalidModel`` for a file that cannot be read, is larger
    ///   than 16 MiB, is damaged or not a model; for a version that the bundle does not have; and for an
    ///   inconsistent model, with the line. Unsupported parts are not errors.
    /// - Complexity: O(*n*) in the size of the file, plus the validation of the model.
    public init(contentsOf url: URL, version: String? = nil) throws(ObjectStorageError) {
        let bundle = DataModelBundle(url)
        let (file, versionName) = try bundle.file(ofVersion: version)
        do {
            try self.init(Self.contents(of: DataModelBundle.data(of: file)), versionName: versionName)
        } catch {
            throw error.replacing(message: "“\(file.path)”: \(error.message)")
        }
    }

    /// Reads a compiled model that is not in a separate file.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` for damaged data, for
    ///   data that are not a model, and for an inconsistent model.
    /// - Complexity: O(*n*) in the number of bytes, plus the validation of the model.
    package init(archive: Data) throws(ObjectStorageError) {
        try self.init(DataModelContents(archive: archive), versionName: nil)
    }

    private init(_ contents: DataModelContents, versionName: String?) throws(ObjectStorageError) {
        self.versionName = versionName
        versionIdentifiers = contents.versionIdentifiers
        (model, unsupportedParts) = try contents.model()
        classNames = contents.entities.reduce(into: [:]) { names, entity in
            names[entity.name] = entity.className
        }
        transformableTypeNames = contents.entities.reduce(into: [:]) { names, entity in
            let types = entity.transformableTypeNames
            if !types.isEmpty { names[entity.name] = types }
        }
    }

    /// Creates the description of a model that was not read from a file of Apple's tools.
    ///
    /// - Parameter classNames: The names of the classes by entity.
    package init(_ model: ManagedObjectModel, classNames: [String: String] = [:]) {
        self.model = model
        self.classNames = classNames
        unsupportedParts = []
        versionName = nil
        versionIdentifiers = []
        transformableTypeNames = [:]
    }

    /// Returns the names of the versions in a `.xcdatamodeld` or `.momd` bundle, sorted, without extensions;
    /// empty for a file.
    ///
    /// - Parameter url: The location of a bundle or a file.
    /// - Throws: ``/ObjectStorage/ObjectStorageError`` for a bundle that cannot be read.
    /// - Complexity: O(*n* log *n*) in the number of versions.
    public static func versionNames(in url: URL) throws(ObjectStorageError) -> [String] {
        try DataModelBundle(url).versionNames()
    }

    static func contents(of data: Data) throws(ObjectStorageError) -> DataModelContents {
        if BinaryPropertyList.isBeginning(of: data) { return try DataModelContents(archive: data) }
        // The beginning of an .omo file.
        if data.starts(with: Array("momv2$".utf8)) {
            throw ObjectStorageError(
                .invalidModel,
                "This is a compiled model in the optimized format, which the library does not read. Pass the .mom file of the same version."
            )
        }
        return try DataModelContents(xml: data)
    }
}
