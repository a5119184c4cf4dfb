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
        abstract: "Imports a file into a store; creates the store if it does not exist.",
        discussion: """
            Without --mapping, rows go to the store's entity with the name of --entity or of the file, if the store has it. \
            Otherwise a mapping is proposed from the header and all rows (see “propose”): an attribute gets the narrowest type from \
            whose values every text of its column can be computed, and 1.10 or 007 stay texts. A proposed key is dropped if one of \
            its values is missing or repeated. A second import by the same key updates rows that differ and writes nothing for rows \
            that are equal.

            The store is trusted: writing rows runs its triggers and constraints. The file is not trusted.
            """)

    /// The treatment of a bad row.
    enum OnError: String, ExpressibleByArgument, CaseIterable {
        case skip, stop
    }

    @Argument(
        help:
            "The file: CSV, JSON Lines or a JSON array, as its first character tells; also compressed by gzip or in a zip archive. “-” is standard input.",
        completion: .file())
    var file: String

    @Argument(help: "The store.", completion: .file())
    var store: String

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var mappingOptions: MappingOptions
    @OptionGroup var opening: StoreOpeningOptions
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
            Texts that their attribute would change, such as 01569 in an integer attribute: skip the row; warn, which imports the \
            row unless the text is its key; or accept them.
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
            "Write the rejected records to this new file, in the format of the imported one, and their lines, columns and reasons to FILE.reasons.csv. The mended file can be imported alone.",
            valueName: "file"))
    var rejects: String?

    @Flag(
        help:
            "Import into the store and take everything back: print what would be inserted and updated, with examples, and write nothing."
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
        var progress = ImportProgress()
        progress.isShown = !quiet
        if verbose {
            progress.notePass = { number, rows, elapsed in
                LibraryImport.note(
                    "Pass \(number) read \(Quantity.count(rows, "row")); \(Quantity.duration(elapsed)) so far."
                )
            }
        }
        progress.expectPasses(expectedPasses)
        let problems = ProblemReport()
        var importer: Importer
        var restarts = 0
        repeat {
            do {
                importer = try prepared(since: progress.begin, problems) { progress.show($0) }
            } catch {
                throw failure(error)
            }
            progress.beginLastPass()
        } while try !imports(importer, problems, &restarts)
        ImportProgress.clear()
        for text in importer.changeNotes + [importer.undoNote].compactMap(\.self) { note(text) }
        do {
            try print(importer.summary, importer.preview, progress.elapsed)
        } catch {
            let outcome =
                dryRun ? "Nothing was written" : "The import is done, and its rows are committed"
            LibraryImport.note(
                "\(error.message) \(outcome): \(importer.summary.text(progress.elapsed)).")
            throw ExitCode(ToolExit.unreportedImport)
        }
        if importer.summary.skipped > 0 { throw ExitCode(ToolExit.finding) }
    }

    /// Runs an import, and returns false if it must be prepared again, because another program has changed
    /// the store's model since.
    private func imports(_ importer: Importer, _ problems: ProblemReport, _ restarts: inout Int) throws
        -> Bool
    {
        do {
            defer { problems.finish() }
            try importer.run()
            return true
        } catch let error as Importer.StoreChanged {
            restarts += 1
            guard restarts < 10, InputFile.canBeReadAgain(file, options: reading.options) else {
                throw failure(error.failure)
            }
            return false
        } catch {
            throw failure(error, whatStays: importer.whatStays)
        }
    }

    /// Refuses a file whose rows without a key the store has from an earlier import.
    private func refuseAgain(
        _ mapping: Mapping, target: TargetStore, options: RecordOptions
    ) throws {
        guard InputFile.canBeReadAgain(file, options: options) else { return }
        let records = try target.open().importRecords()
        guard records.contains(where: { $0.entityName == mapping.entity && $0.digest != nil }),
            let digest = try ContentDigest.text(path: file, options: options),
            let record = records.last(where: {
                $0.entityName == mapping.entity && $0.digest == digest && $0.undoneDate == nil
            })
        else { return }
        throw Importer.failure(InputFile.name(of: file), importedBy: record, into: store)
    }

    /// The number of passes over the file that are expected: for the names of the fields of JSON, for the
    /// types of a new entity, and for the rows.
    private var expectedPasses: Int {
        guard mappingOptions.mappingPath == nil else { return 1 }
        let isJSON = [".json", ".jsonl", ".ndjson"].contains { file.lowercased().contains($0) }
        return (FileManager.default.fileExists(atPath: store) ? 1 : 2) + (isJSON ? 1 : 0)
    }

    private func note(_ text: String) {
        if !quiet { LibraryImport.note(text) }
    }

    /// Clears the progress line and returns the error that ends the tool.
    private func failure(_ error: any Error, whatStays: String? = nil) -> any Error {
        ImportProgress.clear()
        switch error {
        case let error as RecordError: return ToolFailure(error.description)
        case is CancellationError:
            LibraryImport.note("Interrupted. \(whatStays ?? "Nothing was imported.")")
            return ExitCode(128 + (Interruption.signal ?? SIGINT))
        default: return error
        }
    }

    /// Returns an importer after all checks that do not need a row, so that a failing one creates nothing.
    ///
    /// - Parameters:
    ///   - begin: The time at which the program began to read the file.
    ///   - problems: The report to which the importer adds bad rows.
    private func prepared(
        since begin: ContinuousClock.Instant, _ problems: ProblemReport,
        _ show: @escaping (Importer.Progress) -> Void
    ) throws -> Importer {
        if let rejects { try RejectsFile.requireAbsence(rejects) }
        let target = TargetStore(path: store, busyTimeout: opening.busyTimeout)
        let model = try target.model()
        var options = try InputFile.options(
            reading, for: file, readsOnce: mappingOptions.mappingPath != nil,
            arrays: reading.arrays ?? (Mapping.hasArrays(model) ? .related : nil), note: note)
        var mapping = try mappingOptions.mapping(
            file: file, reading: options, model: model, proposesForms: false,
            arrays: reading.arrays, note: note,
            progress: show)
        try mapping.requireKey()
        options.keepsText = rejects != nil
        if model != nil, mapping.key == nil, !again {
            try refuseAgain(mapping, target: target, options: options)
        }
        var resume: ResumePoint?
        if mapping.key == nil, file != InputFile.standardInput,
            InputFile.canBeReadAgain(file, options: options), options.copy == nil
        {
            resume = try ResumePoint(
                file, options: options, mapping: mapping, target: target, again: again)
        }
        if let records = resume?.start.records, records > 0 {
            note("Continuing the import of “\(file)” after \(Quantity.count(Int(records), "record")).")
        }
        let digest = ContentDigest()
        options.digest = digest
        let reader = try InputFile.open(file, options: options, for: mapping)
        problems.rejects = rejects.map {
            RejectsFile(path: $0, entity: mapping.entity, frame: reader.frame, encoding: reading.encoding)
        }
        let known = model?.entity(named: mapping.entity)
        // All records of a JSON file were scanned for field names, unless the file can be read only once.
        let isLooked = reader is JSONRecordReader && InputFile.canBeReadAgain(file, options: options)
        if partial, mapping.key == nil {
            throw ToolFailure(
                "--partial changes existing rows, which are found by their key, and the rows have none. Pass --key."
            )
        }
        if let known, isLooked || partial && reader is CSVReader {
            mapping.leaveOut(besides: reader.fieldNames, of: known, partial: partial)
        }
        let layout = try RowLayout(mapping, fieldNames: reader.fieldNames)
        if let known, let model {
            try mapping.requireAgreement(with: known, of: model, whole: !isLooked, partial: partial)
            let absent = mapping.propertiesLeftOut(of: known)
            if partial, !absent.isEmpty {
                note("Existing rows keep their values of \(quotedList(absent)).")
            } else if isLooked, mapping.key != nil, !absent.isEmpty {
                note(
                    "No record of the file has a value for \(quotedList(absent)), so the rows get the default value or none."
                )
            }
            if mapping.key == nil, !mappingOptions.noKey {
                note(
                    "“\(known.name)” is imported without a key, so every row is inserted, even if the store already has it. Pass --no-key if this is intended."
                )
            }
        } else if let near = NearestName.nearest(
            to: mapping.entity, among: model?.entities.map(\.name) ?? [])
        {
            note("“\(mapping.entity)” becomes a new entity of the store, beside “\(near)”.")
        }
        if verbose { for text in mapping.descriptions { note(text) } }
        return Importer(
            target: try TargetWriter(target, known: model) { [mapping] in try mapping.model(beside: $0) },
            mapping: mapping,
            reader: reader, layout: layout, file: InputFile.name(of: file),
            options: Importer.Options(
                stopsAtBadRow: onError == .stop, maximumErrors: maxErrors,
                batchSize: atomic ? .max : batchSize, maximumRows: maxRows, changePolicy: onChange,
                isPartial: partial, isDryRun: dryRun,
                text: Importer.optionsText(Array(ProgramArguments.all.dropFirst()), besides: [file, store]),
                start: resume?.start, recordedPosition: resume?.recorded,
                history: history.limit.map { Importer.History(limit: $0, source: resume?.start.source) },
                digest: digest),
            problems: problems, progress: show,
            stopped: { summary in
                guard !atomic, summary.rows > 0 else { return }
                let elapsed = ContinuousClock.now - begin
                do throws(ToolFailure) {
                    try print(summary, nil, elapsed)
                } catch {
                    LibraryImport.note("\(error.message) The summary is: \(summary.text(elapsed)).")
                }
            })
    }

    private func print(
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
