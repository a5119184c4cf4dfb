import Foundation
import SectionedFetch
import CheckSupport

/// The random history of one list over a separate store.
final class History {
    let seed: UInt64
    let warehouse: Warehouse
    let plan: HistoryPlan
    let watcher: ListWatcher
    let controller: FetchedResultsController<ManagedObject>
    /// The context of the list. It can be the child of another context.
    let observed: ManagedObjectContext
    let observedWriter: ContextWriter
    let otherWriters: [ContextWriter]
    var generator: SeededGenerator
    /// Whether the list's context reads from a read-only container.
    let isReader: Bool
    /// The number of changes of a table that the log records between two stamps, if it is limited to fewer
    /// than usual.
    let logCapacity: Int?
    /// The number of rows written so far.
    var operations = 0
    /// Whether the log may have overflowed since the last check of the cache.
    var hasFlooded = false
    /// The actions of this batch, for the message of a failure.
    var actions: [String] = [] {
        didSet { watcher.moment = actions.last ?? "" }
    }

    init(seed: UInt64) throws {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        warehouse = try Warehouse(generator.one(of: Self.origins))
        plan = HistoryPlan(&generator)
        let list = PlannedList.random(warehouse.schema, &generator)
        isReader = generator.once(in: 8)
        logCapacity =
            warehouse.schema.origin != .untracked && !isReader && generator.once(in: 3)
            ? Int.random(in: 60..<200, using: &generator) : nil
        if let logCapacity { try warehouse.limitLog(to: logCapacity) }
        observed =
            isReader
            ? try warehouse.reader().newContext() : Self.observedContext(of: warehouse, &generator)
        plan.mayDisplace = observed.undoManager == nil && warehouse.schema.origin != .untracked
        observedWriter = ContextWriter(observed, warehouse)
        otherWriters = [Self.otherWriter(warehouse), Self.otherWriter(warehouse)]
        controller = try FetchedResultsController(
            fetchRequest: list.request(), context: observed, sectionNameKeyPath: list.sectionKey,
            cacheName: generator.once(in: 3) ? nil : "parts", cacheStore: warehouse.caches)
        if generator.once(in: 8) { controller.reloadThreshold = Int.random(in: 3..<30, using: &generator) }
        // Most windows are followed through an index of all rows from the second change on.
        if !generator.once(in: 4) { controller.windowThreshold = .zero }
        try controller.reportUpdates(ofPropertiesNamed: list.reported)
        watcher = ListWatcher(list, in: warehouse)
        watcher.logCapacity = logCapacity
        self.generator = generator
    }

    private static let origins: [WarehouseSchema.Origin] =
        Array(repeating: .ours, count: 7) + [
            .tracked, .tracked, .untracked,
        ]

    private static func observedContext(
        of warehouse: Warehouse, _ generator: inout SeededGenerator
    ) -> ManagedObjectContext {
        let root = warehouse.container.newContext()
        root.mergePolicy = .contextWins
        // Without a log a child context receives everything that it saved to its parent again, more than
        // once.
        guard warehouse.schema.origin == .untracked || !generator.once(in: 8) else {
            let child = root.newChildContext()
            child.mergePolicy = .contextWins
            return child
        }
        root.automaticallyMergesChanges = generator.once(in: 2)
        if generator.once(in: 3) { root.undoManager = ManagedObjectContext.UndoManager() }
        return root
    }

    private static func otherWriter(_ warehouse: Warehouse) -> ContextWriter {
        let context = warehouse.container.newContext()
        context.automaticallyMergesChanges = true
        context.mergePolicy = .contextWins
        return ContextWriter(context, warehouse)
    }

    /// Fills the store and starts to follow the list.
    func begin() throws {
        try fill(otherWriters[0].context)
        try mergeAll()
        watcher.excuses.noteFilling(plan.numberOfParts)
        try controller.performFetch()
        if warehouse.schema.origin != .untracked, generator.once(in: 2) {
            // The list shows these writes from the start, and reports none of them.
            var writer = ForeignWriter(warehouse, plan, avoiding: [])
            try writer.run(size, &generator)
            watcher.excuses.note(writer.written)
            watcher.excuses.noteRewritten(writer.rewritten)
            for other in otherWriters { try other.context.mergeChangesFromStore() }
        }
        controller.delegate = watcher
        try controller.performFetch()
        try watcher.begin(controller)
    }

    /// The description of the history.
    var title: String {
        "\(warehouse.schema.origin) tables, \(observed.parent == nil ? "" : "child, ")\(isReader ? "reader, " : "")\(logCapacity.map { "log of \($0), " } ?? "")\(controller.cacheName == nil ? "no cache" : "cached"), \(watcher.list)"
    }

    private func fill(_ context: ManagedObjectContext) throws {
        for word in Samples.words {
            try context.insert(entityNamed: "Tag").setValue(.text(word), forProperty: "word")
        }
        var halls: [ManagedObject] = []
        for number in 0..<3 {
            let hall = try context.insert(entityNamed: "Hall")
            try hall.setValue(.text("h\(number)"), forProperty: "name")
            halls.append(hall)
        }
        for number in 0..<Int.random(in: 3..<10, using: &generator) {
            let shelf = try context.insert(entityNamed: "Shelf")
            try shelf.setValue(.text(plan.newShelfName(&generator)), forProperty: "name")
            try shelf.setRelatedObject(halls[number % 3], forRelationship: "hall")
        }
        try context.save()
        try otherWriters[0].look()
        try otherWriters[0].insertParts(plan.numberOfParts, &generator, plan)
        try context.save()
        _ = otherWriters[0].takeWritten()
    }

    // MARK: Batches

    /// Runs one batch, and checks the results after it.
    func step() throws {
        actions = []
        try act()
        try settle()
        try watcher.checkNothingIsLeft(controller)
        try watcher.checkScreen(controller)
        // An undo can change links once more.
        if !observed.hasChanges, observed.undoManager == nil { watcher.excuses.forgetRelinked() }
        if generator.once(in: 8), !observed.hasChanges { try checkCache() }
        if generator.once(in: 40), !observed.hasChanges { try compareWithTwin() }
    }

    private func act() throws {
        switch Int.random(in: 0..<32, using: &generator) {
        case 0...5: try saveObserved()
        case 6...9: try process()
        case 10...13: try saveOthers()
        case 14...15: try batchOperation()
        case 16...20: try writeFromElsewhere()
        case 21...22: try mergeLate()
        case 23...24: try pause()
        case 25: try withoutReporting()
        case 26...27: try replaceRequest()
        case 28: try fetchAgain()
        case 29: try interrupt()
        case 30: try generator.once(in: 2) ? changeMany() : loseLogOrCache()
        default: try noteNothing()
        }
    }

    /// A random number of changes for one batch.
    var size: Int {
        generator.once(in: 3)
            ? Int.random(in: 1..<4, using: &generator) : Int.random(in: 5..<60, using: &generator)
    }

    /// Saves the unsaved changes or rolls them back, in some cases after more changes.
    private func settle() throws {
        guard observed.hasChanges else { return }
        try watcher.checkNothingIsLeft(controller)
        if generator.once(in: 2) { try change(observedWriter, size / 2) }
        if generator.once(in: 3) {
            actions.append("rollback")
            observed.rollback()
            _ = observedWriter.takeWritten()
        } else {
            try save()
        }
    }

    // MARK: Writers

    /// Makes random changes to objects of a context.
    func change(_ writer: ContextWriter, _ count: Int, avoiding avoided: Set<ObjectID> = []) throws {
        actions.append("\(count) changes")
        try writer.look(avoiding: avoided)
        let isChild = observed.parent != nil
        // The writer's fetch can cause a report, and the report can use the generator: work on a copy.
        var generator = generator
        try writer.change(count, &generator, plan, mayDeleteShelves: avoided.isEmpty && !isChild)
        self.generator = generator
        let (relinked, orphaned) = (writer.takeRelinked(), writer.takeOrphaned())
        if writer === observedWriter {
            watcher.excuses.noteRelinked(relinked)
            watcher.excuses.noteOrphaned(orphaned)
        } else if warehouse.schema.origin == .ours {
            watcher.excuses.noteRelinkedByOthers((relinked + orphaned).map(\.plainID))
        } else {
            watcher.excuses.note((relinked + orphaned).map(\.plainID))
        }
        operations += count
    }

    /// Saves the context of the list and, in half of the cases, its parent.
    func save() throws {
        actions.append("save")
        watcher.excuses.note(observedWriter.takeWritten())
        // A child does not know which links in its parent's save were its own.
        if observed.undoManager == nil, observed.parent == nil, watcher.list.includesPendingChanges {
            watcher.excuses.noteSaveOfLinks()
        }
        try observed.save()
        guard let parent = observed.parent else { return }
        if !watcher.mustBeSilent, generator.once(in: 2) {
            // The save gives new objects their final IDs, of which the child is not notified.
            try watcher.checkNothingIsLeft(controller)
            watcher.excuses.noteParentsRows(parent.unsavedObjects.count)
            let changes = try parent.save()
            watcher.excuses.noteRelinkedByOthers(changes.relinkedObjectIDs.map { $0.plain })
            try observed.mergeChanges(from: changes)
        }
    }

    /// Saves another context, and returns the changes.
    func save(_ writer: ContextWriter) throws -> StoreChanges {
        watcher.excuses.note(writer.takeWritten())
        let changes = try writer.context.save()
        // Without a log they are reported when they are merged, and a fetch may find them before.
        if warehouse.schema.origin == .untracked {
            watcher.excuses.note(changes.insertedObjectIDs.map { $0.plain })
        }
        return changes
    }

    /// Returns the objects with unsaved changes in the context of the list or its parents, and those that
    /// they lead to.
    func unsaved() throws -> Set<ObjectID> {
        var ids: Set<ObjectID> = []
        var context: ManagedObjectContext? = observed
        while let current = context {
            for object in current.unsavedObjects {
                ids.insert(object.plainID)
                for name in ["shelf", "hall"]
                where object.entity.relationship(named: name) != nil && !object.isDeleted {
                    if let target = try object.relatedObject(name) { ids.insert(target.plainID) }
                }
            }
            context = current.parent
        }
        return ids
    }

    /// Merges all commits into all contexts.
    func mergeAll() throws {
        for context in otherWriters.map(\.context) + [observed.parent, observed].compactMap(\.self) {
            try context.mergeChangesFromStore()
        }
    }

    /// Merges changes of other contexts into the context of the list.
    func merge(_ changes: [StoreChanges]) throws {
        guard observed.parent == nil, !isReader else {
            if warehouse.schema.origin == .untracked { watcher.mayReload = true }
            return try mergeAll()
        }
        if observed.automaticallyMergesChanges {
            try observed.mergePendingChanges()
            return
        }
        // Without a log, a fetch would find a later commit before the merge that reports it.
        let changes =
            warehouse.schema.origin == .untracked
            ? [changes.reduce(into: StoreChanges()) { $0.append($1) }] : changes
        // A fetch finds a later commit before it is merged. The commit is reported again when the objects
        // show it.
        if changes.count > 1 {
            watcher.excuses.noteRewritten(
                changes.flatMap { $0.updatedObjectIDs.map { $0.plain } })
            // Reading rows also updates objects to commits that are not merged yet, without an event.
            watcher.screen = [:]
        }
        for change in changes {
            try observed.mergeChanges(from: change)
            if generator.once(in: 6) { try observed.mergeChanges(from: change) }
        }
    }
}
