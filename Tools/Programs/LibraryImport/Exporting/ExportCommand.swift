import ArgumentParser
import Foundation
import SectionedFetch
import ToolSupport

/// `library-import export STORE DIRECTORY`: writes a whole store to files.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes a whole store to files, from which an equal store can be made.",
        discussion: """
            DIRECTORY gets one file for each entity, one for each relationship that is stored as pairs, such as many-to-many \
            relationships, model.json with the model, and export.json with the numbers of rows and the digests. \
            “library-import --from DIRECTORY NEW” makes a store with an equal model, equal objects with their keys, and equal \
            relationships with their order.

            All rows belong to one state of STORE, even if other programs write to it. DIRECTORY must not exist or must be empty; \
            it appears when it is complete. STORE may also be a Core Data store or another SQLite database; it is only read.

            A value has its usual text: numbers, true and false, ISO 8601, UUIDs, Base64. An empty field of CSV means no value. A \
            value without such a text, such as a date after the year 9999 or the empty text in CSV, is written as a backslash \
            followed by JSON. Values of more than 100,000 bytes are in separate files in the directory “values”.

            Exit status: 0 if everything was written; 1 if the export lacks contents, which the report lists as lost; \
            2 if the export failed or was stopped, without DIRECTORY; 3 if it succeeded, but the report could not be printed; 64 \
            if the command line is invalid.
            """)

    @Argument(help: "The store.", completion: .file())
    var store: String

    @Argument(help: "The directory to make.", completion: .directory)
    var directory: String

    @Option(help: "The format of the files: csv, tsv, json (an array) or jsonl (JSON Lines).")
    var format = ExportFormat.csv

    @Option(
        help: ArgumentHelp(
            "The model of a Core Data store that does not contain one: a .momd, .mom or .xcdatamodeld.",
            valueName: "model"))
    var model: String?

    @Flag(help: "Print the report as JSON.")
    var json = false

    @OptionGroup var opening: StoreOpeningOptions

    func run() throws {
        var progress = ImportProgress()
        Interruption.begin(endingAtSecond: true)
        var exporter: StoreExporter
        do {
            try StoreExporter.requireAbsence(directory)
            guard !store.isEmpty else {
                throw ToolFailure("The path of the store is empty. Pass the path of the store's file.")
            }
            let source = try MoveSource(
                path: store, model: model, busyTimeout: opening.busyTimeout, sharingStore: true)
            if let record = try source.container.moveRecord() {
                throw ToolFailure(
                    "“\(store)” contains an unfinished move of “\(record.sourcePath)”. Run “library-import --from \(record.sourcePath) \(store)” to finish it."
                )
            }
            let total = try source.numberOfRows()
            func show(_ rows: Int) {
                progress.show(
                    Importer.Progress(rows: rows, byteOffset: min(rows, total), byteCount: total))
            }
            exporter = try StoreExporter(of: source, format: format) { _ in try Mover.checkInterruption() }
            try exporter.run(to: directory, progress: show)
        } catch let error as ObjectStorageError where [.storeChanged, .generationLost].contains(error.code) {
            throw ToolFailure(
                "Another program changed “\(store)” while it was read. No directory was made. Run the command again, preferably while no other program is writing to it."
            )
        } catch is CancellationError {
            LibraryImport.note("Interrupted. No directory was made.")
            throw ExitCode(128 + (Interruption.signal ?? SIGINT))
        }
        ImportProgress.clear()
        let lines = exporter.lines(directory, progress.elapsed)
        do {
            try StandardOutput.print(asJSON: json, exporter.json(directory), lines: lines)
        } catch let error as ToolFailure {
            LibraryImport.note(
                "The export finished, but its report could not be printed: \(error.message) \(lines[0])")
            throw ExitCode(ToolExit.unreportedImport)
        }
        if !exporter.losses.isEmpty { throw ExitCode(ToolExit.finding) }
    }
}

extension StoreExporter {
    /// The report as lines of text.
    fileprivate func lines(_ directory: String, _ elapsed: Duration) -> [String] {
        let rows = files.reduce(0) { $0 + $1.rows }
        var lines = [
            "\(directory): \(Quantity.count(files.count, "file")) with \(Quantity.count(rows, "row")), \(Quantity.bytes(files.reduce(0) { $0 + $1.bytes })); \(Quantity.duration(elapsed)). Make an equal store with “library-import --from \(directory) NEW”."
        ]
        var table = TextTable(alignments: [.left, .right, .right])
        lines += table.lines(
            files.map { [$0.name, Quantity.count($0.rows, "row"), Quantity.bytes($0.bytes)] }
        ).map { "    " + $0 }
        func add(_ heading: String, _ list: [String]) {
            guard !list.isEmpty else { return }
            lines.append(heading)
            lines += list.prefix(1_000).map { "    " + $0 }
            if list.count > 1_000 { lines.append("    and \(Quantity.count(list.count - 1_000)) more") }
        }
        add("Not exported:", omissions)
        add("Lost contents:", losses)
        return lines
    }

    /// The report as JSON.
    fileprivate func json(_ directory: String) -> JSONValue {
        [
            "directory": .string(directory), "format": .string(format.rawValue),
            "files": .array(
                files.map {
                    [
                        "name": .string($0.name), "entity": .string($0.entity),
                        "relationship": .string(ifPresent: $0.relationship), "rows": .count($0.rows),
                        "bytes": .count($0.bytes), "sha256": .string($0.sha256),
                    ]
                }),
            "notExported": .array(omissions.map { .string($0) }),
            "losses": .array(losses.map { .string($0) }),
        ]
    }
}
