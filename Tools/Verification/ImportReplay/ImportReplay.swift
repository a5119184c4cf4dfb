import ArgumentParser
import Foundation
import ToolSupport

/// `import-replay`: imports files and compares the stores with what Python reads in the files.
@main
struct ImportReplay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-replay",
        abstract:
            "Imports random or given files, and compares the stores with what Python reads in the files.",
        discussion: """
            Python's modules csv, json, decimal and sqlite3 compute the rows, the types of the columns and the lines of the bad
            records from the bytes of each file, without this package. The imports run in this process.

              swift run -c release import-replay random --count 100000    # about half an hour
              swift run import-replay check cases.json

            The first file that differs is made smaller, printed and kept. \(ToolExit.help)
            """,
        subcommands: [Random.self, Check.self], defaultSubcommand: Random.self)

    static func main() { runAsTool() }
}

extension ImportReplay {
    struct Random: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Imports random files of CSV, JSON and JSON Lines.")

        @Option(help: "The number of files.")
        var count = 1_000

        @Option(help: "The seed of the random numbers. Random if omitted.")
        var seed: UInt64?

        @Option(help: "The number of the first file, to repeat a single one.")
        var first = 0

        @Option(
            help: ArgumentHelp("The directory in which a file that differs is kept.", valueName: "directory"))
        var keep = "."

        func validate() throws {
            guard count >= 0, first >= 0 else {
                throw ValidationError("--count and --first must not be negative.")
            }
        }

        func run() throws {
            let seed = seed ?? .random(in: 0..<1_000_000_000)
            // Printed before the imports, so that the seed is known after a crash.
            print("import-replay random --seed \(seed) --first \(first) --count \(count)")
            fflush(nil)
            try ReplaySession(keptIn: keep).run(["random", "\(seed)", "\(first)", "\(count)"])
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Imports the files that a table in JSON describes.")

        @Argument(
            help:
                "A JSON array of objects with “name”, “file”, “bytes” in hexadecimal digits, “arguments”, “reading” and “refused”."
        )
        var table: String

        func run() throws { try ReplaySession(keptIn: ".").run(["check", PathArgument.url(table).path]) }
    }
}
