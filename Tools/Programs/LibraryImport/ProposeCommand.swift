import ArgumentParser
import RecordReading
import ToolSupport

/// `library-import propose`: prints a mapping as a starting point.
struct ProposeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "propose",
        abstract: "Prints a mapping for a file, from its header and all rows.",
        discussion: """
            Save the mapping, edit it, and pass it to “import” with --mapping. The types hold the values of all rows. A column \
            gets a “form” if its texts are numbers with a decimal comma, dates in another form than ISO 8601, or two words for true \
            and false, or if it has words such as NA for no value. The form is the one that the options \
            --number-form, --date-form, --boolean-form and --no-value would set.
            """)

    @Argument(help: "The file. “-” is standard input.", completion: .file())
    var file: String

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var mappingOptions: MappingOptions

    func run() throws {
        do {
            let options = try InputFile.options(
                reading, for: file, readsOnce: mappingOptions.mappingPath != nil,
                arrays: reading.arrays ?? .related, note: LibraryImport.note)
            let tables = try InputFile.tables(of: file, options: options)
            let mapping = try mappingOptions.mapping(
                of: InputRecords(inputs: [.init(file: file, options: options)]),
                entity: options.arrayPath.flatMap { tables.contains($0) ? $0 : nil }, model: nil,
                proposesForms: true, arrays: reading.arrays ?? .related, note: LibraryImport.note,
                progress: { _ in })
            try mapping.requireKey()
            var output = StandardOutput()
            output.write(try mapping.jsonText() + "\n")
            try output.finish()
        } catch let error as RecordError {
            throw ToolFailure(error.description)
        }
    }
}
