import ArgumentParser
import CoreDataStores
import Foundation
import ModelReading
import ObjectStorage
import ToolSupport

/// The model that a command reads.
struct ModelOptions: ParsableArguments {
    @Argument(
        help: "The model, a store that contains one, or a database whose tables become entities.",
        completion: .file())
    var model: String

    @Option(
        name: .customLong("model-version"),
        help: "The name of a version in the bundle; the current one by default.")
    var version: String?

    @Flag(
        help:
            "End with status 1 if the model has parts that the library does not support, or the database has tables that are left out."
    )
    var strict = false

    @Flag(
        name: .customLong("read-only"),
        help: "Include the tables of a database that have no declared key and can only be read.")
    var isReadOnly = false

    /// The location of the model.
    var url: URL { URL(filePath: model) }

    /// Reads the model of a file of Apple's tools or of a store, or infers one from a database.
    ///
    /// - Returns: The model, and the survey of a database whose model was inferred.
    /// - Throws: ``ObjectStorageError`` for a file that cannot be read or is not a model.
    func read() throws -> (file: DataModel, survey: DatabaseSurvey?) {
        guard isDatabase else { return (try DataModel(contentsOf: url, version: version), nil) }
        // The tables of a store show neither all its entities nor the types of its attributes.
        switch try DatabaseSurvey.kind(of: url) {
        case .coreDataStore: return (try CoreDataStore.dataModel(ofStoreAt: url), nil)
        case .store:
            var options = StoreOptions(isReadOnly: true)
            options.preservesFiles = true
            return (DataModel(try PersistentContainer(url: url, options: options).model), nil)
        case .other, .empty:
            let survey = try DatabaseSurvey(of: url, for: isReadOnly ? .reading : .writing)
            return (DataModel(survey.model), survey)
        }
    }

    /// Whether the file begins with the header of an SQLite database.
    private var isDatabase: Bool {
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
        guard exists, !isDirectory.boolValue else { return false }
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { file.closeFile() }
            return try file.read(upToCount: 16) == Data("SQLite format 3\0".utf8)
        } catch {
            // Reading the model reports the error.
            return false
        }
    }

    /// Ends the command with a finding if it is strict and the model has unsupported parts.
    func checkSupport(of file: DataModel, _ survey: DatabaseSurvey?) throws {
        let omitted = survey?.tables.count { if case .notTaken = $0.role { true } else { false } } ?? 0
        guard strict, !file.unsupportedParts.isEmpty || omitted > 0 else { return }
        throw ToolFinding(
            omitted > 0
                ? "The database has \(Quantity.count(omitted, "table or view", "tables and views")) that cannot be entities."
                : "The model has \(Quantity.count(file.unsupportedParts.count, "part")) that the library does not support."
        )
    }
}
