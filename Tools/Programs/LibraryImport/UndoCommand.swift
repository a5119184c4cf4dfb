import ArgumentParser
import Foundation
import SectionedFetch
import ToolSupport

/// `library-import undo`: undoes an import.
struct UndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undoes an import into a store.",
        usage: "library-import undo [<options>] <store> <number>",
        discussion: """
            Deletes the rows that the import inserted and the related objects that it created and nothing else uses, and gives the \
            rows that it updated their earlier values, in one transaction. “history” lists the imports with their numbers.

            Rows that another import or program changed, deleted or used after the import are named, with at most \
            \(ImportUndoResult.maximumExamples) examples. On a terminal a question follows; otherwise nothing is undone unless \
            --force or --keep-changed is given. Attributes and entities that the import added to the store stay.
            """)

    @Argument(help: "The store.")
    var store: String

    @Argument(help: "The number of the import, which “history” lists.")
    var number: Int64?

    @OptionGroup var opening: StoreOpeningOptions

    @Flag(help: "Also undo rows that were changed after the import. Their later values are lost.")
    var force = false

    @Flag(help: "Leave rows that were changed after the import as they are.")
    var keepChanged = false

    @Flag(help: "Print what would be undone, and write nothing.")
    var dryRun = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    func validate() throws {
        if number == nil {
            throw ValidationError(
                "Pass the number of the import after the store. “library-import history STORE” lists the imports with their numbers."
            )
        }
        if force, keepChanged { throw ValidationError("--force and --keep-changed exclude each other.") }
    }

    func run() throws {
        guard let number else { return }
        let container = try TargetStore(path: store, busyTimeout: opening.busyTimeout).open()
        var changedRows = ImportUndoResult.ChangedRows.refuse
        if force { changedRows = .undo }
        if keepChanged { changedRows = .keep }
        var result = try container.undoImport(number, changedRows: changedRows, isDryRun: dryRun)
        if !result.isUndone, !dryRun {
            for line in result.changedLines { LibraryImport.note(line) }
            guard let answer = try Self.answer() else {
                throw ToolFailure(
                    "Import \(number) was not undone: \(Quantity.count(result.changed, "row")) changed since. Pass --force to undo these rows as well, or --keep-changed to leave them."
                )
            }
            result = try container.undoImport(number, changedRows: answer)
        }
        let report = UndoReport(result: result, isDryRun: dryRun)
        do {
            try StandardOutput.print(asJSON: json, report.json, lines: report.lines)
        } catch let error as ToolFailure {
            LibraryImport.note("\(error.message) \(report.lines[0])")
            throw ExitCode(dryRun ? ToolExit.failure : ToolExit.unreportedImport)
        }
    }

    /// Asks for the treatment of changed rows, or returns nil without a terminal.
    ///
    /// - Throws: `ToolFailure` if the answer is to undo nothing.
    private static func answer() throws -> ImportUndoResult.ChangedRows? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        writeToStandardError("Undo these rows as well [u], keep them as they are [k], or undo nothing [n]? ")
        switch readLine()?.lowercased() {
        case "u": return .undo
        case "k": return .keep
        default: throw ToolFailure("Nothing was undone.")
        }
    }
}
