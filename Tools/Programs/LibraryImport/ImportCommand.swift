import ArgumentParser
import Foundation
import InternalUtilities
import RecordReading
import SectionedFetch
import ToolSupport

/// `library-import import`: imports a file into a store.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports files into a store; creates the store if it does not exist.",
        usage: "library-import import [<options>] <file> … <store>",
        discussion: """
            Without --mapping, rows go to the store's entity with the name of --entity or of the file, if the store has it. \
            Otherwise a mapping is proposed from the header and all rows (see “propose”): an attribute gets the narrowest type that \
            keeps every text of its column, so that 1.10 or 007 stay texts. A proposed key is dropped if one of its values is \
            missing or repeated. A second import by the same key updates rows that differ and writes nothing for rows that are equal.

            Several files, also those of a shell pattern such as *.csv, are imported one after the other, each in its own \
            transactions, or all in one with --atomic. Files of one new entity get one mapping that holds all their rows. A file \
            that fails does not stop the others, unless --on-error stop is passed; the exit status is the worst one.

            The store is trusted: writing rows runs its triggers and constraints. The file is not trusted.
            """)

    /// The treatment of a bad row.
    enum OnError: String, ExpressibleByArgument, CaseIterable {
        case skip, stop
    }

    @Argument(
        help: ArgumentHelp(
            "The files, and after them the store. A file is CSV, JSON Lines, a JSON array, a Library.xml of iTunes or Apple Music, OPML, BibTeX, RIS, MARC 21 or MARCXML, which its content shows; it may be compressed with gzip or be in a zip archive. “-” is standard input.",
            valueName: "file> … <store"),
        completion: .file())
    var paths: [String]

    /// The files.
    var files: [String] { Array(paths.dropLast()) }

    /// The store.
    var store: String { paths.last ?? "" }

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var mappingOptions: MappingOptions
    @OptionGroup var opening: WaitingOptions
    @OptionGroup var history: HistoryOptions

    @Option(name: .customLong("batch"), help: "The number of rows in one transaction.")
    var batchSize = 10_000

    @Flag(
        help:
            "Import all rows in one transaction; on failure nothing is written. Combine with --on-error stop to fail on the first bad row."
    )
    var atomic = false

    @Option(help: "Skip a bad row, or stop the import.")
    var onError = OnError.skip

    @Option(
        help: """
            The treatment of texts that their attribute would change, such as 01569 in an integer attribute: skip the row; warn, \
            which imports the row unless the text is its key; or accept the text.
            """)
    var onChange = ChangePolicy.warn

    @Option(parsing: .unconditional, help: "Stop if more than this many rows are bad.")
    var maxErrors: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Import at most this many records, good or bad, and stop if the file has more. With --atomic, nothing is imported in that case.",
            valueName: "rows"))
    var maxRows: Int?

    @Option(
        help: ArgumentHelp(
            "Write the rejected records to this new file, in the format of the imported one, and their lines, columns and reasons to FILE.reasons.csv. Once its records are corrected, the new file can be imported alone.",
            valueName: "file"))
    var rejects: String?

    @Flag(
        help:
            "Print what the import would insert and update, with examples, and write nothing: the import is rolled back at its end."
    )
    var dryRun = false

    @Flag(
        help:
            "Existing rows keep the values of attributes that the file has no column for. Rows are found by their key."
    )
    var partial = false

    @Flag(
        help: "Import a file without a key again, although the store has its rows from an earlier import.")
    var again = false

    @Flag(help: "Print only errors and bad rows, and with --json the summary.")
    var quiet = false

    @Flag(help: "Print the attribute of each column, and the passes over the file.")
    var verbose = false

    @Flag(help: "Print the summary as JSON.")
    var json = false

    func validate() throws {
        guard paths.count > 1 else {
            throw ValidationError("Pass one or more files, and after them the store.")
        }
        guard batchSize > 0 else { throw ValidationError("--batch \(batchSize) must be at least 1.") }
        if let maxErrors, maxErrors < 0 {
            throw ValidationError("--max-errors \(maxErrors) must not be negative.")
        }
        if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
        if let maxRows, maxRows < 0 {
            throw ValidationError("--max-rows \(maxRows) must not be negative.")
        }
    }

    func run() throws {
        let jobs: [ImportJob]
        do {
            guard files.count == 1 else { return try runSeveral([]) }
            jobs = try self.jobs(of: files[0])
        } catch {
            throw failure(error)
        }
        if jobs.count == 1 { try run(jobs[0]) } else { try runSeveral(jobs) }
    }

    /// Imports one file with one list of records.
    private func run(_ job: ImportJob) throws {
        var progress = ImportProgress()
        progress.isShown = !quiet
        if verbose {
            progress.notePass = { number, rows, elapsed in
                LibraryImport.note(
                    "Pass \(number) read \(Quantity.count(rows, "row")); \(Quantity.duration(elapsed)) so far."
                )
            }
        }
        progress.expectPasses(expectedPasses(of: job.file))
        let problems = ProblemReport()
        var importer: Importer
        var reader: any RecordReader
        var restarts = 0
        repeat {
            do {
                (importer, reader) = try prepared(
                    job, problems, show: { progress.show($0) },
                    stopped: { summary in
                        guard !atomic, summary.rows > 0 else { return }
                        do throws(ToolFailure) {
                            try print(summary, nil, progress.elapsed)
                        } catch {
                            LibraryImport.note(
                                "\(error.message) The summary is: \(summary.text(progress.elapsed)).")
                        }
                    })
            } catch {
                throw failure(error)
            }
            progress.beginLastPass()
        } while try !imports(importer, of: job, problems, &restarts)
        ImportProgress.clear()
        for text in importer.notes { note(text) }
        if let text = (reader as? NamedRecordReader)?.note { note("“\(job.name)”: \(text)") }
        do {
            try print(importer.summary, importer.preview, progress.elapsed)
        } catch {
            let outcome =
                dryRun ? "Nothing was written" : "The import is done, and its rows are committed"
            LibraryImport.note(
                "\(error.message) \(outcome): \(importer.summary.text(progress.elapsed)).")
            throw ExitCode(ToolExit.unreportedImport)
        }
        noteForms(problems, of: job, importer.mapping)
        if importer.summary.skipped > 0 { throw ExitCode(ToolExit.finding) }
    }

    /// Runs an import, and returns false if it must be prepared again, because another program has changed
    /// the store's model since.
    private func imports(
        _ importer: Importer, of job: ImportJob, _ problems: ProblemReport, _ restarts: inout Int
    ) throws -> Bool {
        do {
            defer { problems.finish() }
            try importer.run()
            return true
        } catch let error as Importer.StoreChanged {
            guard canRestart(job, &restarts) else { throw failure(error.failure) }
            return false
        } catch {
            noteForms(problems, of: job, importer.mapping)
            throw failure(error, whatStays: importer.whatStays)
        }
    }

    /// Returns whether an import may be prepared again after another program has changed the store's model,
    /// and counts the restarts.
    func canRestart(_ job: ImportJob, _ restarts: inout Int) -> Bool {
        restarts += 1
        return restarts < 10 && InputFile.canBeReadAgain(job.file, options: job.options)
    }

    /// The number of passes over the file that are expected: for the names of fields where records name them,
    /// for the types of a new entity, and for the rows.
    private func expectedPasses(of file: String) -> Int {
        guard mappingOptions.mappingPath == nil else { return 1 }
        let endings = [".json", ".jsonl", ".ndjson"] + NamedFormat.allCases.map(\.fileExtension)
        let isLate = endings.contains { file.lowercased().contains($0) }
        return (FileManager.default.fileExists(atPath: store) ? 1 : 2) + (isLate ? 1 : 0)
    }

    func note(_ text: String) {
        if !quiet { LibraryImport.note(text) }
    }

    /// Clears the progress line and returns the error that ends the tool.
    func failure(_ error: any Error, whatStays: String? = nil) -> any Error {
        ImportProgress.clear()
        switch error {
        case let error as RecordError: return ToolFailure(error.description)
        case is CancellationError:
            LibraryImport.note("Interrupted. \(whatStays ?? "Nothing was imported.")")
            return ExitCode(128 + (Interruption.signal ?? SIGINT))
        default: return error
        }
    }

    func print(
        _ summary: ImportSummary, _ preview: ImportPreview?, _ elapsed: Duration
    ) throws(ToolFailure) {
        guard json || !quiet else { return }
        var output = StandardOutput()
        if json {
            output.write(summary.json(elapsed, dryRun: dryRun, preview).text)
        } else {
            if dryRun { output.write("Dry run: nothing was written. ") }
            output.write(summary.text(elapsed) + "\n")
            for line in preview?.lines ?? [] { output.write("  \(TerminalText.escaped(line))\n") }
        }
        try output.finish()
    }
}
