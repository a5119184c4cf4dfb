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
        /// A store with an unfinished move.
        case unfinished(PersistentContainer, MoveRecord)
        /// A store without an unfinished move.
        case complete(PersistentContainer)
    }

    /// Moves a store, or continues the move, or compares both stores if the move is complete.
    ///
    /// - Parameters:
    ///   - restarts: Whether an unfinished store is deleted before a new one is made.
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
        try checkFiles()
        var state = try state(restarting: restarts)
        let source = try MoveSource(path: sourcePath, model: model, busyTimeout: busyTimeout)
        if case .unfinished(_, let record) = state, record.sourceState != source.state, !restarts {
            let change =
                record.sourcePath == Self.fullPath(sourcePath)
                ? "which has changed since" : "and “\(sourcePath)” is another store, or has changed since"
            throw ToolFailure(
                "“\(path)” contains an unfinished move of “\(record.sourcePath)”, \(change). Pass --restart to delete “\(path)” and begin again, or pass another path."
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
            let reasons = source.losses.map(MoveReport.text) + source.partsWithoutPlace
            throw ToolFailure(
                "No table of “\(sourcePath)” can be an entity. \(reasons.prefix(3).joined(separator: " "))"
            )
        }
        if restarts, case .unfinished = state {
            // The new store can be made: it has a plan.
            state = .absent
            try deleteFiles()
        }
        let container: PersistentContainer
        var mover: Mover?
        var wasComplete = false
        switch state {
        case .absent: container = try make(source, plan)
        case .unfinished(let found, _), .complete(let found):
            container = found
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
    ///
    /// - Throws: ``ToolFailure`` for a store that a move cannot fill.
    private func state(restarting restarts: Bool) throws -> State {
        guard FileManager.default.fileExists(atPath: url.path) else { return .absent }
        switch try DatabaseSurvey.kind(of: url, options: StoreOptions(busyTimeout: busyTimeout)) {
        case .empty: return .absent
        case .store:
            let container = try PersistentContainer(url: url, options: options)
            if let record = try container.moveRecord() { return .unfinished(container, record) }
            guard !restarts else {
                throw ToolFailure(
                    "“\(path)” is complete, and --restart deletes only an unfinished store. Nothing was changed. Delete “\(path)” to move again, or pass another path."
                )
            }
            return .complete(container)
        case .coreDataStore, .other:
            throw ToolFailure(
                "“\(path)” is a database of another program. Nothing was changed. Pass the path of a file to make, after --from and the store to move."
            )
        }
    }

    /// Makes the store with the state of the move, in one transaction.
    private func make(_ source: MoveSource, _ plan: MovePlan) throws -> PersistentContainer {
        let record = MoveRecord(sourcePath: Self.fullPath(sourcePath), sourceState: source.state)
        return try PersistentContainer.open(url, model: plan.model, options: options) { writer in
            // Another process may have made the store in the meantime.
            try writer.setMoveRecord(record, insteadOf: nil)
            for case .objects(let entity) in plan.tables {
                _ = try writer.deferIndexes(ofEntityNamed: entity.name)
            }
        }.container
    }
}

extension MoveSource {
    /// Returns the number of objects, for the progress.
    func numberOfRows() throws -> Int {
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
                ? "Another program wrote to “\(source.path)” meanwhile. Run the command again with --restart, preferably while no other program is writing to it."
                : "Run the command again with --restart; if it fails again, report it."
        return "“\(targetPath)” differs from “\(source.path)” (\(count), listed in the report). \(remedy)"
    }
}
