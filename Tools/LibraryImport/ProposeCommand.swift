import ArgumentParser
import RecordReading

/// `library-import propose`: a mapping to begin with.
struct ProposeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "propose",
        abstract: "Prints a mapping for a file, from its header and its first thousand rows.",
        discussion: "Save it, change what you know better, and give it to “import” with --mapping.")

    @Argument(help: "The file.")
    var file: String

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var mappingOptions: MappingOptions

    func run() throws {
        do {
            print(try mappingOptions.mapping(file: file, reading: reading.options).jsonText())
        } catch {
            throw Ending.stopping(error)
        }
    }
}
