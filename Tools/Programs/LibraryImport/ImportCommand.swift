import ArgumentParser
import Foundation
import InternalUtilities
import RecordReading
import SectionedFetch
import ToolSupport

/// `library-import import`: files into a store.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports a file into a store, which is made if there is none.",
        discussion: """
            Without --mapping the file goes to the store's entity of that name, if there is one. Else a mapping is proposed from \
            the header and the first thousand rows, see “propose”, and checked against the whole file: an attribute whose type \
            does not hold all values becomes a string, and a key that does not tell all rows apart is none. A second import by \
            the same key changes what differs and writes nothing for rows that are equal.

            The store is trusted: its triggers and constraints are run by the rows that are written. The file is not.
            """)

    /// What is done about a bad row.
    enum OnError: String, ExpressibleByArgument, CaseIterable {
        case skip, stop
    }

    @Argument(help: "The file: CSV, JSON Lines or a JSON array. Found out by its first character.")
    var file: String

    @Argument(help: "The store.")
    var store: String

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var mappingOptions: MappingOptions
    @OptionGroup var opening: StoreOpeningOptions

    @Option(name: .customLong("batch"), help: "Rows in a transaction.")
    var batchSize = 10_000

    @Flag(
        help:
            "All rows in one transaction, with what is made for them: what stops the import leaves the store as it was. Say --on-error stop if a bad row should."
    )
    var atomic = false

    @Option(help: "What to do about a bad row.")
    var onError = OnError.skip

    @Option(parsing: .unconditional, help: "Stop after more than so many bad rows.")
    var maxErrors: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Import no more than so many records, good or bad, and stop if the file has others. With --atomic nothing of it is imported then.",
            valueName: "rows"))
    var maxRows: Int?

    @Flag(help: "Print the summary as JSON.")
    var json = false

    func validate() throws {
        guard batchSize > 0 else { throw ValidationError("--batch \(batchSize) must be at least 1.") }
        if let maxErrors, maxErrors < 0 {
            throw ValidationError("--max-errors \(maxErrors) must not be negative.")
        }
        if let maxRows, maxRows < 0 {
            throw ValidationError("--max-rows \(maxRows) must not be negative.")
        }
    }

    func run() throws {
        var progress = ImportProgress()
        let importer: Importer
        do {
            importer = try prepared { progress.show($0) }
            progress.start()
        } catch {
            throw failure(error)
        }
        do {
            try importer.run()
        } catch {
            throw failure(error, whatStays: importer.whatStays)
        }
        ImportProgress.clear()
        do {
            try print(importer.summary, progress.elapsed)
        } catch {
            LibraryImport.note(
                "\(error.message) The import is done, and its rows are committed: \(importer.summary.text(progress.elapsed))."
            )
            throw ExitCode(ToolExit.unreportedImport)
        }
        if importer.summary.skipped > 0 { throw ExitCode(ToolExit.finding) }
    }

    /// What ends the tool, with the line about progress cleared.
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

    /// An importer with everything checked that can be before the first row, so that nothing is made in vain.
    private func prepared(_ show: @escaping (Importer.Progress) -> Void) throws -> Importer {
        let target = TargetStore(path: store, busyTimeout: opening.busyTimeout)
        let model = try target.model()
        var mapping = try mappingOptions.mapping(
            file: file, reading: reading.options, model: model, isWhole: true, note: LibraryImport.note,
            progress: show)
        try mapping.requireKey()
        let reader = try InputFile.open(file, options: reading.options, for: mapping)
        let known = model?.entity(named: mapping.entity)
        // All records of JSON were looked through for their names, unless the file can be read only once.
        let isLooked = reader is JSONRecordReader && InputFile.canBeReadAgain(file)
        if let known, isLooked { mapping.leaveOut(besides: reader.fieldNames, of: known) }
        let layout = try RowLayout(mapping, fieldNames: reader.fieldNames)
        if let known, let model {
            try mapping.requireAgreement(with: known, of: model, whole: !isLooked)
            let absent = mapping.propertiesLeftOut(of: known)
            if isLooked, mapping.key != nil, !absent.isEmpty {
                LibraryImport.note(
                    "No record of the file has a value for \(quotedList(absent)), so its rows get none, or the default."
                )
            }
            if mapping.key == nil, !mappingOptions.noKey {
                LibraryImport.note(
                    "“\(known.name)” is imported without a key, so every row is inserted, also one that is there already. Say --no-key if that is meant."
                )
            }
        } else if let near = NearestName.nearest(
            to: mapping.entity, among: model?.entities.map(\.name) ?? [])
        {
            LibraryImport.note("“\(mapping.entity)” becomes a new entity of the store, beside “\(near)”.")
        }
        return Importer(
            target: TargetWriter(target, missingModel: try mapping.model(beside: model)), mapping: mapping,
            reader: reader, layout: layout, file: file,
            options: Importer.Options(
                stopsAtBadRow: onError == .stop, maximumErrors: maxErrors,
                batchSize: atomic ? .max : batchSize, maximumRows: maxRows),
            report: {
                ImportProgress.clear()
                writeToStandardError("\(TerminalText.escaped($0.description))\n")
            }, progress: show,
            stopped: { summary, elapsed in
                guard !atomic, summary.rows > 0 else { return }
                do throws(ToolFailure) {
                    try print(summary, elapsed)
                } catch {
                    LibraryImport.note("\(error.message) The summary is: \(summary.text(elapsed)).")
                }
            })
    }

    private func print(_ summary: ImportSummary, _ elapsed: Duration) throws(ToolFailure) {
        var output = StandardOutput()
        output.write(json ? summary.json(elapsed).text : summary.text(elapsed) + "\n")
        try output.finish()
    }
}
