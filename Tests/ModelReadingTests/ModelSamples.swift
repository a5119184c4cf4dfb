import CheckSupport
import Foundation
import ModelReading
import ObjectStorage

/// Model files in the resources of these tests, and temporary ones.
enum ModelSamples {
    /// The folder of the resources.
    static let resources = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "Resources")
    /// The models of the package CoreDataPlus, as XML and compiled.
    static let coreDataPlus = resources.appending(path: "CoreDataPlus")

    /// Writes a file into a new temporary directory and passes it to a closure.
    static func withFile<Result>(
        _ data: Data, named name: String, _ body: (URL) throws -> Result
    ) throws -> Result {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let file = directory.file(name)
        try data.write(to: file)
        return try body(file)
    }

    /// Returns the model in the text of an XML file.
    static func model(_ xml: String) throws -> DataModel {
        try withFile(Data(xml.utf8), named: "contents") { try DataModel(contentsOf: $0) }
    }

    /// Returns the error of the library that a closure throws; nil if it throws none.
    static func error(_ body: () throws -> Any) -> ObjectStorageError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? ObjectStorageError
        }
    }
}
