import ArgumentParser
import RecordReading
import ToolSupport

/// `library-import propose`: prints a mapping as a starting point.
struct ProposeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "propose",
        abstract: "Prints a mapping for a file, from its header and its first thousand rows.",
        discussion: "Save the mapping, edit it, and pass it to “import” with --mapping.")

    @Argument(help: "The file. “-” is standard input.")
    var file: String

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var mappingOptions: MappingOptions

    func run() throws {
        do {
            let options = try InputFile.options(
                reading, for: file, readsOnce: mappingOptions.mappingPath != nil, note: LibraryImport.note)
            let mapping = try mappingOptions.mapping(
                file: file, reading: options, model: nil, isWhole: false, note: LibraryImport.note)
            try mapping.requireKey()
            var output = StandardOutput()
            output.write(try mapping.jsonText() + "\n")
            try output.finish()
        } catch let error as RecordError {
            throw ToolFailure(error.description)
        }
    }
}
