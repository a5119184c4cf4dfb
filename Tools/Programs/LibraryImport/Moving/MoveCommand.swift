import ArgumentParser
import Foundation
import SectionedFetch
import ToolSupport

/// `library-import --from STORE NEW`: moves everything of another program's store into a new store.
struct MoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Moves everything of a Core Data store or an SQLite database into a new store.",
        discussion: """
            “library-import --from STORE NEW” is the short form of “library-import move --from STORE NEW”. STORE is a store of \
            Core Data or SwiftData, any other SQLite database whose tables have usable keys, or a store of this library. It is \
            only read, and none of its files is changed. STORE is not deleted.

            NEW gets the entities with inheritance, attributes, relationships with their order, delete rules and constraints. \
            Objects keep their keys. Rules that objects of STORE break are not part of NEW; the report lists them. At the end \
            every count, every value and every relationship is compared; a value that NEW has in another form, such as a date \
            from a text, is converted back first. The report also lists these conversions, and the parts that are not moved, \
            such as triggers and the history of changes.

            A move that was interrupted continues when the same command is run again. Until it ends, library-browser says that \
            NEW is unfinished, and other imports into NEW are refused.

            STORE may also be a directory that “library-import export” wrote. The new store is equal to the exported one. Files \
            that were changed since the export are refused without --edited.

            Exit status: 0 if all rows and values were moved; 1 if rows or values are lost that NEW cannot have, which the \
            report lists; 2 if the move failed, was stopped, or found a difference; 3 if it succeeded, but the report could not \
            be printed; 64 if the command line is invalid.
            """)

    @Option(help: ArgumentHelp("The store to move.", valueName: "store"), completion: .file())
    var from: String

    @Argument(help: "The new store.", completion: .file())
    var new: String

    @Option(
        help: ArgumentHelp(
            "The model of a Core Data store that does not contain one: a .momd, .mom or .xcdatamodeld.",
            valueName: "model"))
    var model: String?

    @Flag(help: "Delete an unfinished NEW, and begin again.")
    var restart = false

    @Flag(help: "Accept files of an export that were changed since, and check their rows.")
    var edited = false

    @Option(name: .customLong("batch"), help: "The largest number of rows in one transaction.")
    var batchSize = 5_000

    @Flag(help: "Print the report as JSON.")
    var json = false

    @OptionGroup var opening: StoreOpeningOptions

    // Options of an import from a file, which are refused with the reason.
    @OptionGroup(visibility: .hidden) var reading: ReadingOptions
    @OptionGroup(visibility: .hidden) var mapping: MappingOptions
    @Flag(help: .hidden) var atomic = false
    @Option(help: .hidden) var onError: ImportCommand.OnError?
    @Option(parsing: .unconditional, help: .hidden) var maxErrors: Int?
    @Option(parsing: .unconditional, help: .hidden) var maxRows: Int?

    func validate() throws {
        let given: [(String, Bool)] = [
            ("--mapping", mapping.mappingPath != nil), ("--entity", mapping.entity != nil),
            ("--key", mapping.key != nil), ("--no-key", mapping.noKey),
            ("--relationship", !mapping.relationships.isEmpty), ("--type", !mapping.types.isEmpty),
            ("--ignore", !mapping.ignored.isEmpty), ("--delimiter", reading.delimiter != nil),
            ("--replace-invalid", reading.replaceInvalid), ("--number-columns", reading.numberColumns),
            ("--max-file-size", reading.maxFileSize != nil), ("--atomic", atomic),
            ("--on-error", onError != nil), ("--max-errors", maxErrors != nil),
            ("--max-rows", maxRows != nil),
        ]
        if let (name, _) = given.first(where: \.1) {
            throw ValidationError(
                "\(name) is for importing a file of records. With --from, everything of a store is moved; leave \(name) out."
            )
        }
        if ExportedStore.isDirectory(from), model != nil {
            throw ValidationError(
                "--model is for stores of Core Data, and “\(from)” is a directory. Leave out --model.")
        }
        guard batchSize > 0 else { throw ValidationError("--batch \(batchSize) must be at least 1.") }
    }

    /// Returns the arguments of a command line with the name of this command, if they contain `--from` and no
    /// command.
    static func completing(_ arguments: [String]) -> [String] {
        let commands = LibraryImport.configuration.subcommands.map { $0.configuration.commandName ?? "" }
        let options = arguments.prefix { $0 != "--" }
        guard let first = arguments.first, !commands.contains(first), first != "help",
            options.contains(where: { $0 == "--from" || $0.hasPrefix("--from=") })
        else { return arguments }
        return ["move"] + arguments
    }

    func run() throws {
        Interruption.begin(endingAtSecond: true)
        if ExportedStore.isDirectory(from) { return try importExport() }
        guard !edited else {
            throw ToolFailure(
                "--edited is for a directory with an exported store, and “\(from)” is not one. Leave out --edited."
            )
        }
        var progress = ImportProgress()
        let report = try perform {
            try MoveTarget(path: new, sourcePath: from, busyTimeout: opening.busyTimeout).fill(
                restarting: restart, batchSize: batchSize, model: model, since: progress.begin,
                note: LibraryImport.note
            ) { progress.show($0) }
        }
        do {
            try StandardOutput.print(asJSON: json, report.json, lines: report.lines)
        } catch let error as ToolFailure {
            LibraryImport.note(
                "The move finished, but its report could not be printed: \(error.message) \(report.lines[0])")
            throw ExitCode(report.isComplete ? ToolExit.unreportedImport : ToolExit.failure)
        }
        guard report.isComplete else { throw ToolFailure(report.failure) }
        if report.comparison.numberOfLosses > 0 { throw ExitCode(ToolExit.finding) }
    }

    /// Makes a store from the files of an exported one.
    private func importExport() throws {
        var progress = ImportProgress()
        let report = try perform {
            try ExportedStore(path: from, acceptingEdits: edited).importContents(
                to: new, restarting: restart, batchSize: batchSize, busyTimeout: opening.busyTimeout,
                note: LibraryImport.note
            ) { progress.show($0) }
        }
        let lines = report.lines(path: from, store: new, progress.elapsed)
        do {
            try StandardOutput.print(asJSON: json, report.json(path: from, store: new), lines: lines)
        } catch let error as ToolFailure {
            LibraryImport.note(
                "The import finished, but its report could not be printed: \(error.message) \(lines[0])")
            throw ExitCode(ToolExit.unreportedImport)
        }
        if report.clearedReferences.count > 0 { throw ExitCode(ToolExit.finding) }
    }

    /// Performs the work of the command, clears the progress line, and ends the tool after a signal or an
    /// error.
    private func perform<Report>(_ work: () throws -> Report) throws -> Report {
        do {
            let report = try work()
            ImportProgress.clear()
            return report
        } catch is CancellationError {
            LibraryImport.note("Interrupted. Run the same command again to continue.")
            throw ExitCode(128 + (Interruption.signal ?? SIGINT))
        } catch {
            ImportProgress.clear()
            throw failure(error)
        }
    }

    /// Returns the error that ends the tool, with the remedy for a move.
    private func failure(_ error: any Error) -> any Error {
        guard let error = error as? ObjectStorageError else { return error }
        switch error.code {
        case .storeChanged, .generationLost:
            return ToolFailure(
                "Another program changed “\(from)” while it was moved. Run the command again with --restart, preferably while no other program is writing to it."
            )
        case .diskFull:
            return ToolFailure(
                "The disk of “\(new)” is full. Free some space, and run the same command again to continue.")
        case .constraintViolation, .duplicateValue:
            return ToolFailure(
                "\(error.message) Another program wrote to “\(new)” during the move. Run the command again with --restart."
            )
        default: return error
        }
    }
}
