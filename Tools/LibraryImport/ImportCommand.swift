import ArgumentParser
import Foundation
import SectionedFetch
import RecordReading

/// `library-import import`: files into a store.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports a file into a store, which is made if there is none.",
        discussion: """
            Without --mapping one is proposed from the header and the first thousand rows, see “propose”, and then checked
            against the whole file: an attribute whose type does not hold all values becomes a string. A second import by
            the same key changes what differs and writes nothing for rows that are equal.
            """)

    @Argument(help: "The file: CSV, JSON Lines or a JSON array. Found out by its first character.")
    var file: String

    @Argument(help: "The store.")
    var store: String

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var mappingOptions: MappingOptions

    @Option(name: .customLong("batch"), help: "Rows in a transaction.")
    var batchSize = 10_000

    @Flag(help: "All rows in one transaction: all of them or none.")
    var atomic = false

    @Option(help: "What to do about a bad row: skip or stop.")
    var onError = "skip"

    @Option(help: "Stop after so many bad rows.")
    var maxErrors: Int?

    @Flag(help: "Print the summary as JSON.")
    var json = false

    func validate() throws {
        guard ["skip", "stop"].contains(onError) else { throw ValidationError("--on-error is skip or stop.") }
        guard batchSize > 0 else { throw ValidationError("--batch must be at least 1.") }
    }

    func run() throws {
        var progress = ImportProgress()
        let importer: Importer
        do {
            var mapping = try mappingOptions.mapping(file: file, reading: reading.options)
            if mappingOptions.mappingPath == nil {
                for change in try mapping.widen(for: openRecords(path: file, options: reading.options)) {
                    FileHandle.standardError.write(Data("library-import: \(Ending.escaped(change))\n".utf8))
                }
            }
            let reader = try openRecords(path: file, options: reading.options)
            let container = try PersistentContainer(url: URL(filePath: store), model: mapping.model())
            importer = Importer(
                container: container, mapping: mapping,
                options: Importer.Options(
                    onError: onError == "stop" ? .stop : .skip, maximumErrors: maxErrors,
                    batchSize: atomic ? nil : batchSize),
                report: { Self.report($0) },
                progress: { progress.show(rows: $1.rows, byteOffset: $0.byteOffset, byteCount: $0.byteCount) }
            )
            do {
                try importer.run(reader, file: file)
            } catch {
                progress.end()
                if !atomic, importer.summary.rows > 0 {
                    Self.print(importer.summary, progress.elapsed, json: json)
                }
                throw error
            }
        } catch {
            throw Ending.stopping(error)
        }
        progress.end()
        Self.print(importer.summary, progress.elapsed, json: json)
        if importer.summary.skipped > 0 { throw Ending.skippedRows }
    }

    private static func report(_ error: RecordError) {
        FileHandle.standardError.write(Data("\(Ending.escaped(error.description))\n".utf8))
    }

    private static func print(_ summary: Importer.Summary, _ seconds: Double, json: Bool) {
        let rate = Int(Double(summary.rows) / max(seconds, 0.000_001))
        if json {
            Swift.print(
                """
                {"inserted": \(summary.inserted), "updated": \(summary.updated), "unchanged": \(summary.unchanged), \
                "skipped": \(summary.skipped), "createdRelated": \(summary.createdRelated), \
                "seconds": \(seconds), "rowsPerSecond": \(rate)}
                """)
            return
        }
        let text =
            "\(summary.inserted) inserted, \(summary.updated) updated, \(summary.unchanged) unchanged, "
            + "\(summary.skipped) skipped, \(summary.createdRelated) related objects made; "
            + String(format: "%.2f s, %d rows/s", seconds, rate)
        Swift.print(text)
    }
}

/// How a file is read.
struct ReadingOptions: ParsableArguments {
    @Option(
        help: "The delimiter of a CSV file: comma, semicolon, tab, or one character. Found out if not given.")
    var delimiter: String?

    @Flag(help: "Replace bytes that are not UTF-8 by U+FFFD instead of skipping their rows.")
    var replaceInvalid = false

    func validate() throws {
        if let delimiter, Self.byte(delimiter) == nil {
            throw ValidationError("--delimiter is comma, semicolon, tab, or one ASCII character.")
        }
    }

    var options: CSVReader.Options {
        CSVReader.Options(delimiter: delimiter.flatMap(Self.byte), replacesInvalidUTF8: replaceInvalid)
    }

    private static func byte(_ name: String) -> UInt8? {
        switch name {
        case "comma": UInt8(ascii: ",")
        case "semicolon": UInt8(ascii: ";")
        case "tab": 0x09
        default: name.utf8.count == 1 && name != "\"" ? name.utf8.first : nil
        }
    }
}

/// What becomes of a file's columns.
struct MappingOptions: ParsableArguments {
    @Option(name: .customLong("mapping"), help: "A mapping file, as “propose” prints one.")
    var mappingPath: String?

    @Option(help: "The entity of the rows. Without a mapping, by default the file's name.")
    var entity: String?

    @Option(help: "The attribute that tells rows apart.")
    var key: String?

    @Option(
        name: .customLong("relationship"),
        help:
            "A column that names another object: COLUMN=ENTITY, or NAME:COLUMN=ENTITY.ATTRIBUTE. Repeatable.")
    var relationships: [String] = []

    /// The mapping: the file's, else a proposal, changed as the other options say.
    func mapping(file: String, reading: CSVReader.Options) throws -> Mapping {
        var mapping: Mapping
        if let mappingPath {
            mapping = try Mapping.read(path: mappingPath)
        } else {
            mapping = try Mapping.proposed(
                for: openRecords(path: file, options: reading),
                entity: entity ?? Mapping.entityName(forFile: file))
        }
        if let entity { mapping.entity = entity }
        if let key {
            // The column's name will do where the attribute had to be called something else.
            mapping.key = mapping.attributes.first { $0.name == key || $0.column == key }?.name ?? key
        }
        for text in relationships {
            let relationship = try Self.relationship(text)
            guard
                mappingPath != nil || mapping.attributes.contains(where: { $0.column == relationship.column })
            else {
                throw ImportError(
                    "--relationship \(text): the file has no column “\(relationship.column)”. It has: \(mapping.attributes.map(\.column).joined(separator: ", "))."
                )
            }
            mapping.attributes.removeAll { $0.column == relationship.column || $0.name == relationship.name }
            mapping.relationships.append(relationship)
        }
        return mapping
    }

    private static func relationship(_ text: String) throws -> Mapping.Relationship {
        let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard sides.count == 2 else {
            throw ImportError("--relationship \(text): write COLUMN=ENTITY or NAME:COLUMN=ENTITY.ATTRIBUTE.")
        }
        let left = sides[0].split(separator: ":", maxSplits: 1).map(String.init)
        let right = sides[1].split(separator: ".", maxSplits: 1).map(String.init)
        let name = left[0].prefix(1).lowercased() + left[0].dropFirst()
        return Mapping.Relationship(
            name: left.count == 2 ? left[0] : name, column: left[left.count - 1], entity: right[0],
            attribute: right.count == 2 ? right[1] : "name",
            inverse: Mapping.inverseName(of: left.count == 2 ? left[0] : name))
    }
}
