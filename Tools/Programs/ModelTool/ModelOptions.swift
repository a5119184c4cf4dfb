import ArgumentParser
import Foundation
import ModelReading
import ToolSupport

/// The model that a command reads.
struct ModelOptions: ParsableArguments {
    @Argument(help: "The model.")
    var model: String

    @Option(
        name: .customLong("model-version"),
        help: "The name of a version in the bundle; the current one by default.")
    var version: String?

    @Flag(help: "End with status 1 if the model has parts that the library does not support.")
    var strict = false

    /// The location of the model.
    var url: URL { URL(filePath: model) }

    /// Reads the model.
    ///
    /// - Throws: ``ObjectStorageError`` for a file that cannot be read or is not a model.
    func read() throws -> DataModel { try DataModel(contentsOf: url, version: version) }

    /// Ends the command with a finding if it is strict and the model has unsupported parts.
    func checkSupport(of file: DataModel) throws {
        guard strict, !file.unsupportedParts.isEmpty else { return }
        throw ToolFinding(
            "The model has \(Quantity.count(file.unsupportedParts.count, "part")) that the library does not support."
        )
    }
}
