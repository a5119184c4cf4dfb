import RecordReading
import SectionedFetch
import ToolSupport

/// One list of records to import: a file, or a table of a file.
struct ImportJob {
    /// The path of the file.
    let file: String
    /// The options for reading it, with the table.
    let options: RecordOptions
    /// The entity of the rows, or nil for that of the options or of a mapping file.
    let entity: String?

    /// The name of the file in messages.
    var name: String { InputFile.name(of: file) }

    /// Whether the list has no record, and no fault that an import reports.
    ///
    /// - Complexity: O(*n*) in the bytes before the first record.
    var isEmpty: Bool {
        var options = options
        options.digest = nil
        do {
            return try !openRecords(path: file, options: options).next()
        } catch {
            return false
        }
    }

    /// Returns the names of the files of several jobs in messages.
    static func names(of jobs: [ImportJob]) -> String {
        let names = jobs.map { "“\($0.name)”" }
        let rest = names.count - 3
        return names.prefix(3).joined(separator: ", ") + (rest > 0 ? " and \(Quantity.count(rest)) more" : "")
    }
}

/// The entities that several files add to a store.
struct ImportPlan {
    /// The store's model with the entities, or nil if there are none to add.
    private(set) var model: ManagedObjectModel?
    /// The errors of the entities that cannot be made.
    private(set) var failures: [String: any Error] = [:]
    /// The names of the entities that the store does not have.
    private(set) var names: [String] = []

    /// Plans the entities that the store does not have, each for all files with its rows.
    ///
    /// - Parameter mapping: Returns a mapping for the files of one entity, beside those of a model.
    init(
        _ jobs: [ImportJob], beside stored: ManagedObjectModel?,
        mapping: ([ImportJob], ManagedObjectModel?) throws -> Mapping
    ) throws {
        for job in jobs {
            guard let name = job.entity, !names.contains(name), stored?.entity(named: name) == nil else {
                continue
            }
            names.append(name)
        }
        for name in names {
            do {
                let mapping = try mapping(jobs.filter { $0.entity == name }, model ?? stored)
                try mapping.requireKey()
                model = try mapping.model(beside: model ?? stored) ?? model
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                failures[name] = error
            }
        }
    }
}

/// The result of one job among several.
struct ImportOutcome {
    let file: String
    let entity: String?
    var summary = ImportSummary()
    var preview: ImportPreview?
    var elapsed = Duration.zero
    /// The reason of a failure, or nil.
    var failure: String?

    /// The exit status of the job.
    var status: Int32 {
        failure != nil ? ToolExit.failure : summary.skipped > 0 ? ToolExit.finding : ToolExit.success
    }

    /// The file, and the entity of its rows.
    private var title: String { "“\(file)”\(entity.map { " into \($0)" } ?? "")" }

    /// The result as a line of text.
    var line: String { "\(title): \(failure.map { "failed: \($0)" } ?? summary.text(elapsed))" }

    /// Returns the result as JSON.
    func json(dryRun isDryRun: Bool) -> JSONValue {
        summary.json(
            elapsed, dryRun: isDryRun, preview,
            after: [
                .init("file", .string(file)), .init("entity", .string(ifPresent: entity)),
                .init("error", .string(ifPresent: failure)),
            ])
    }
}
