import ArgumentParser
import ModelReading
import ObjectStorage
import ToolSupport

/// `model-tool json`: prints a model in the library's own format.
struct JSONCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "json",
        abstract: "Prints the entities of a model or database as JSON.",
        discussion: """
            Programs read the text with ManagedObjectModel(contentsOf:), and library-browser with --model. Parts that the \
            text does not contain are reported on standard error.
            """)

    @OptionGroup var model: ModelOptions

    func run() throws {
        let (file, survey) = try model.read()
        let text: String
        do {
            text = try file.model.jsonText()
        } catch {
            throw ToolFailure(
                "The model cannot be written as JSON (\(error)). A default value or a rule may be infinite.")
        }
        for part in file.unsupportedParts { ModelTool.note("\(part)") }
        for table in survey?.tables ?? [] {
            if case .notTaken = table.role { ModelTool.note("\(table)") }
        }
        var output = StandardOutput()
        output.write(text + "\n")
        try output.finish()
        try model.checkSupport(of: file, survey)
    }
}
