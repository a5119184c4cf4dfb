import ArgumentParser
import Foundation
import SectionedFetch
import ToolSupport

/// `library-import adopt`: writes a model for another program's database, or tracks the database.
struct AdoptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Describes the tables of any SQLite database as entities, with or without tracking it.",
        discussion: """
            Tables with a usable key become entities, foreign keys become relationships, and tables of pairs become \
            many-to-many relationships. The report begins with what was done, and lists the tables and \
            columns that are left out, with the reasons.

            With --tracked, the database gets control tables and triggers, whose names begin with sc_; nothing else in it is \
            altered. Changes of all programs are then detected row by row, caches stay valid when only other tables \
            change, and the model is in the file, so that every tool opens it without options.

            With --untracked, the database stays as it is. The model is written to a file in JSON, which library-browser \
            accepts with --model, and programs read with ManagedObjectModel(contentsOf:).

            Edit the model and pass it with --using to change names or to leave out tables.

            After the tables of a tracked database changed, --tracked --update replaces its model by one that is inferred \
            again, or by the one of --using.
            """)

    @Argument(help: "The database.", completion: .file())
    var file: String

    @Flag(
        help:
            "Add control tables and triggers to the database, so that changes of single rows are detected.")
    var tracked = false

    @Flag(help: "Replace the model of a database that is tracked already.")
    var update = false

    @Flag(help: "Change nothing in the database.")
    var untracked = false

    @Option(
        help: ArgumentHelp(
            "The file for the model in JSON. [default: with --untracked the database with .model.json after its name]",
            valueName: "file"))
    var model: String?

    @Option(help: ArgumentHelp("A model in JSON to use instead of an inferred one.", valueName: "file"))
    var using: String?

    @Flag(help: "Replace the file of the model if it exists.")
    var force = false

    @Flag(help: "Print the report as JSON.")
    var json = false

    @OptionGroup var opening: StoreOpeningOptions

    func validate() throws {
        if update, !tracked {
            throw ValidationError("--update is for tracked databases. Pass --tracked as well.")
        }
        guard tracked != untracked else {
            throw ValidationError(
                "Choose --tracked, which adds control tables and triggers to the database, or --untracked, which changes nothing in it."
            )
        }
    }

    /// The file to which the model is written; nil for none.
    private var modelPath: String? { model ?? (untracked ? file + ".model.json" : nil) }

    func run() throws {
        let url = PathArgument.url(file)
        let kind = try TextFile.explaining(file) { () throws(ObjectStorageError) in
            try DatabaseSurvey.kind(of: url, options: StoreOptions(busyTimeout: opening.busyTimeout))
        }
        switch kind {
        case .other:
            if update {
                throw ToolFailure("“\(file)” is not tracked. Leave out --update.")
            }
        case .store: try checkUpdate(of: url)
        case .coreDataStore:
            throw ToolFailure(
                "“\(file)” is a store of Core Data, whose tables have Core Data's own layout. Read its model with model-tool."
            )
        case .empty:
            throw ToolFailure("“\(file)” has no tables. Check the path.")
        }
        if let modelPath, !force, FileManager.default.fileExists(atPath: PathArgument.url(modelPath).path) {
            throw ToolFailure(
                "“\(modelPath)” exists. Pass another file with --model, or --force to replace it.")
        }
        var survey: DatabaseSurvey?
        let adopted: ManagedObjectModel
        if let using {
            adopted = try ManagedObjectModel(contentsOf: PathArgument.url(using))
        } else {
            let found = try DatabaseSurvey(
                of: url, for: .writing, options: StoreOptions(busyTimeout: opening.busyTimeout))
            survey = found
            adopted = found.model
        }
        let addedTables = try adopt(adopted, survey, at: url)
        try report(adopted, survey, addedTables)
    }

    /// Throws an error unless a file with a model is a tracked database and its model may be replaced.
    private func checkUpdate(of url: URL) throws {
        // The tables of a database may differ from its model, so it is not opened as a store.
        let stored = try DatabaseSurvey.storedModel(
            of: url, options: StoreOptions(busyTimeout: opening.busyTimeout))
        guard let stored, stored.entities.allSatisfy({ $0.existingTable != nil }) else {
            throw ToolFailure(
                "“\(file)” is a store of this library: its model is in the file. List it with library-browser."
            )
        }
        guard update else {
            throw ToolFailure(
                "“\(file)” is tracked already: its model is in the file. List it with library-browser. If its tables changed, pass --update."
            )
        }
    }

    /// Opens the database with the model, and returns the names of the control tables that it has then.
    private func adopt(
        _ model: ManagedObjectModel, _ survey: DatabaseSurvey?, at url: URL
    ) throws -> [String] {
        guard !model.entities.isEmpty else {
            let reasons = survey?.tables.prefix(3).map(\.description).joined(separator: " ") ?? ""
            throw ToolFailure("No table of “\(file)” can be a writable entity. \(reasons)")
        }
        var options = StoreOptions(
            isReadOnly: untracked, busyTimeout: opening.busyTimeout,
            existingTables: tracked ? .tracked : .untracked)
        options.replacesModel = update
        // An untracked database is opened as well, so that a model from --using is compared with its tables.
        let container = try PersistentContainer(url: url, model: model, options: options)
        let tables = try container.newContext().storedColumns().map(\.table).filter {
            $0.lowercased().hasPrefix("sc_")
        }
        guard let modelPath else { return tables }
        do {
            let text = try model.jsonText() + "\n"
            try Data(text.utf8).write(to: PathArgument.url(modelPath), options: .atomic)
        } catch {
            throw ToolFailure(
                "The model cannot be written to “\(modelPath)” (\(error.localizedDescription)). Check that the directory is writable\(tracked ? "; the database is tracked, and the model is in it" : "")."
            )
        }
        return tables
    }

    private func report(
        _ model: ManagedObjectModel, _ survey: DatabaseSurvey?, _ addedTables: [String]
    ) throws {
        var output = StandardOutput()
        let report = survey.map { SurveyReport($0, path: file) }
        if json {
            let description = try report?.json() ?? .null
            output.write(
                JSONValue.object([
                    .init("isTracked", .boolean(tracked)), .init("model", .string(ifPresent: modelPath)),
                    .init("entities", .array(model.entities.map { .string($0.name) })),
                    .init("addedTables", .array(tracked ? addedTables.map { .string($0) } : [])),
                    .init("survey", description),
                ]).text)
        } else {
            let count = Quantity.count(model.entities.count, "entity", "entities")
            var lines = ["\(file) is \(tracked ? "tracked" : "unchanged"): \(count)."]
            if tracked {
                lines.append(
                    "Added: the tables \(addedTables.joined(separator: ", ")), and triggers on the tables of the entities."
                )
            }
            if let modelPath { lines.append("The model is in \(modelPath).") }
            if let report { lines += try [""] + report.lines() }
            for line in lines { output.write(TerminalText.escaped(line) + "\n") }
        }
        try output.finish()
    }
}
