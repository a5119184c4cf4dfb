import Foundation
import SectionedFetch
import ToolSupport

/// The new store into which another one is moved.
struct MoveTarget {
    let path: String
    let sourcePath: String
    let busyTimeout: Double

    private var url: URL { PathArgument.url(path) }
    private var options: StoreOptions { StoreOptions(busyTimeout: busyTimeout, migratesAutomatically: false) }

    /// The present state of the new store.
    private enum State {
        case absent
        /// A move is unfinished.
        case unfinished(MoveRecord)
        /// A store to which nothing is moved at present.
        case complete
    }

    /// Moves a store, or continues the move, or compares both stores if the move is complete.
    ///
    /// - Parameters:
    ///   - restarts: Whether an unfinished store is deleted first.
    ///   - model: The path of a model for a store of Core Data that does not contain one.
    ///   - begin: The time at which the program began.
    ///   - note: Called with each note for the user.
    /// - Throws: ``ToolFailure`` with the remedy; `ObjectStorageError`; `CancellationError` after a signal.
    func fill(
        restarting restarts: Bool, batchSize: Int, model: String?, since begin: ContinuousClock.Instant,
        note: (String) -> Void, progress: @escaping (Importer.Progress) -> Void
    ) throws -> MoveReport {
        guard !path.isEmpty else {
            throw ToolFailure("The path of the new store is empty. Pass the path of a file to make.")
        }
        try refuseSource()
        var state = try state()
        let source = try MoveSource(path: sourcePath, model: model, busyTimeout: busyTimeout)
        if restarts { state = try restarted(state) }
        if case .unfinished(let record) = state, record.sourceState != source.state {
            throw ToolFailure(
                "“\(path)” is the unfinished move of “\(record.sourcePath)”, and “\(sourcePath)” \(record.sourcePath == Self.fullPath(sourcePath) ? "was changed since then" : "is another store or was changed"). Pass --restart to delete “\(path)” and begin again, or another path."
            )
        }
        let total = try source.numberOfRows()
        func step(_ number: Int, _ rows: Int) {
            progress(
                Importer.Progress(
                    rows: rows, byteOffset: total * number + min(rows, total), byteCount: total * 3))
        }
        let survey = try RuleSurvey(of: source) { rows in
            step(0, rows)
            try Mover.checkInterruption()
        }
        let plan = try MovePlan(survey)
        guard !plan.model.entities.isEmpty else {
            throw ToolFailure(
                "No table of “\(sourcePath)” can be an entity. \(source.partsWithoutPlace.prefix(3).joined(separator: " "))"
            )
        }
        let container: PersistentContainer
        var mover: Mover?
        var wasComplete = false
        switch state {
        case .absent: container = try make(source, plan)
        case .unfinished, .complete:
            container = try PersistentContainer(url: url, options: options)
            guard try container.model.jsonText() == plan.model.jsonText() else {
                throw ToolFailure(
                    "“\(path)” exists, and its model is not that of “\(sourcePath)”. Nothing was changed. Pass another path, or delete “\(path)”."
                )
            }
        }
        if let record = try container.moveRecord() {
            if case .unfinished = state { note("Continuing the move to “\(path)”.") }
            let running = Mover(source, plan, to: container, record: record, batchSize: batchSize) {
                step(1, $0)
            }
            try running.run()
            mover = running
        } else {
            wasComplete = true
        }
        let comparison = try MoveComparison(of: source, with: container, by: plan) { step(2, $0) }
        let report = MoveReport(
            source: source, targetPath: path, comparison: comparison, plan: plan,
            elapsed: ContinuousClock.now - begin, wasComplete: wasComplete,
            hasSourceChanged: source.hasChanged)
        if report.isComplete { try mover?.finish() }
        return report
    }

    /// Returns the state of the new store.
    private func state() throws -> State {
        guard FileManager.default.fileExists(atPath: url.path) else { return .absent }
        switch try DatabaseSurvey.kind(of: url, options: StoreOptions(busyTimeout: busyTimeout)) {
        case .empty: return .absent
        case .store:
            let container = try PersistentContainer(url: url, options: options)
            return try container.moveRecord().map(State.unfinished) ?? .complete
        case .coreDataStore, .other:
            throw ToolFailure(
                "“\(path)” is a database of another program. Nothing was changed. Pass the path of a file to make, after --from and the store to move."
            )
        }
    }

    /// Deletes an unfinished store.
    private func restarted(_ state: State) throws -> State {
        switch state {
        case .absent: return .absent
        case .complete:
            throw ToolFailure(
                "“\(path)” is complete, and --restart deletes only an unfinished store. Nothing was changed. Delete “\(path)” to move again, or pass another path."
            )
        case .unfinished:
            for suffix in ["-wal", "-shm", ""] where FileManager.default.fileExists(atPath: url.path + suffix)
            {
                do {
                    try FileManager.default.removeItem(atPath: url.path + suffix)
                } catch {
                    throw ToolFailure(
                        "“\(path)\(suffix)” cannot be deleted (\(error.localizedDescription)). Check that its directory is writable."
                    )
                }
            }
            return .absent
        }
    }

    /// Makes the store with the state of the move, in one transaction.
    private func make(_ source: MoveSource, _ plan: MovePlan) throws -> PersistentContainer {
        let record = MoveRecord(sourcePath: Self.fullPath(sourcePath), sourceState: source.state)
        return try PersistentContainer.open(url, model: plan.model, options: options) { writer in
            for case .objects(let entity) in plan.tables {
                _ = try writer.deferIndexes(ofEntityNamed: entity.name)
            }
            try writer.setMoveRecord(record, insteadOf: nil)
        }.container
    }

    private static func fullPath(_ path: String) -> String {
        PathArgument.url(path).resolvingSymlinksInPath().path
    }

    /// Throws an error if both paths lead to the same file.
    private func refuseSource() throws {
        var (first, second) = (stat(), stat())
        guard stat(url.path, &first) == 0, stat(PathArgument.url(sourcePath).path, &second) == 0,
            first.st_dev == second.st_dev, first.st_ino == second.st_ino
        else { return }
        throw ToolFailure(
            "“\(path)” is the store to move itself. Pass the path of a new file.")
    }
}

extension MoveSource {
    /// Returns the number of objects, for the progress.
    fileprivate func numberOfRows() throws -> Int {
        try container.model.entities.filter { $0.parentName == nil }.reduce(0) { count, entity in
            try count + context.count(for: FetchRequest<ManagedObject>(entityName: entity.name))
        }
    }
}

extension MoveReport {
    /// The failure of a comparison with differences: the first of them, and the remedy.
    var failure: String {
        let count = Quantity.count(comparison.numberOfDifferences, "difference")
        let remedy =
            wasComplete
            ? "It was changed since the move, or is the move of another store. Nothing was changed; pass another path, or delete “\(targetPath)”."
            : hasSourceChanged
                ? "Another program wrote to “\(source.path)” meanwhile. Run the command again with --restart."
                : "Run the command again with --restart; if it fails again, report it."
        return "“\(targetPath)” differs from “\(source.path)” (\(count), listed in the report). \(remedy)"
    }
}
