import ArgumentParser
import CatalogueGenerator
import ToolSupport

/// `library-import generate`: writes a synthetic library of a chosen size.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Writes a synthetic library of songs as CSV.",
        discussion: "The same seed gives the same bytes on every machine.")

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    @Option(parsing: .unconditional, help: "The number of songs, up to 10,000,000.")
    var rows = 100_000

    @Option(help: "The seed.")
    var seed: UInt64 = 1

    @Option(
        parsing: .unconditional,
        help:
            "The number of sections: 27 for the first letters and “#”, or any other number for numbered shelves of equal size."
    )
    var sections = 27

    func validate() throws {
        try Self.require("--rows", rows, 0...CatalogueOptions.maximumNumberOfSongs)
        try Self.require("--sections", sections, 1...CatalogueOptions.maximumNumberOfShelves)
    }

    private static func require(_ option: String, _ value: Int, _ allowed: ClosedRange<Int>) throws {
        guard !allowed.contains(value) else { return }
        let (least, most) = (Quantity.count(allowed.lowerBound), Quantity.count(allowed.upperBound))
        throw ValidationError("\(option) \(value) must be \(least) to \(most).")
    }

    func run() throws {
        do {
            let options = try CatalogueOptions(
                numberOfSongs: rows, seed: seed, sections: sections == 27 ? .firstLetters : .shelves(sections)
            )
            try CatalogueGenerator(options).writeCSV(to: file)
        } catch {
            throw ToolFailure("\(error)")
        }
        // Written to standard error, because the file may be standard output.
        LibraryImport.note("\(Quantity.count(rows, "song")) written to \(file)")
    }
}
