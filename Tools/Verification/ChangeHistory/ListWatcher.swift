import Foundation
import SectionedFetch

/// Follows a controller as its delegate, and checks every change against what a plain look at the data says.
final class ListWatcher: FetchedResultsControllerDelegate {
    typealias Object = ManagedObject
    typealias Controller = FetchedResultsController<ManagedObject>

    /// What the view shows at some moment.
    struct State {
        var shown = ShownResults()
        var contents: [ObjectID: RowContent] = [:]
        /// What the rows are called, of which ``shown`` has the plain identities.
        var objectIDs: [[ObjectID]] = []
        /// The entities by which they are called.
        var kinds: [ObjectID: String] = [:]
        /// The unsaved objects, by the identities that they had then.
        var unsaved: [ObjectID: ManagedObject] = [:]
    }

    let warehouse: Warehouse
    var list: PlannedList
    var state = State()
    var excuses: Excuses
    /// Whether the change that comes may be one reload, because nobody can know more.
    var mayReload = false
    /// How many changes of a table the log takes between two stamps, where that is so few that others may
    /// often write more.
    var logCapacity: Int?
    /// Whether all that changes are rows of the list's own context, which are told whatever the log takes.
    var mustTellRows = false
    /// Whether the change that comes is that of a request to another.
    var isReplacing = false
    /// Whether nothing may be reported now.
    var mustBeSilent = false
    /// Something to do in the middle of the next report.
    var interruption: (() throws -> Void)?
    private(set) var failures: [String] = []
    private(set) var counts: [String: Int] = [:]
    private var events: [ResultsChange.Event] = []
    private var isOpen = false
    /// Some rows that somebody looks at.
    var screen: [ObjectID: VisibleRow] = [:]
    /// Results of some time ago, of which nothing was read yet.
    var former: FormerResults?
    /// Results without a delegate, of which nothing was read yet.
    var frozen: FrozenResults?
    /// The bytes of each section's key.
    private var identities: [StoredValue: [UInt8]] = [:]

    init(_ list: PlannedList, in warehouse: Warehouse) {
        self.list = list
        self.warehouse = warehouse
        excuses = Excuses(isOurs: warehouse.schema.isOurs)
    }

    /// What is being done, for who has to understand a failure.
    var moment = ""

    func fail(_ message: String) { failures.append("\(moment): \(message)") }

    func count(_ what: String) { counts[what, default: 0] += 1 }

    /// Takes the results as they are for those that the view shows.
    func begin(_ controller: Controller) throws {
        state = try look(controller)
        screen = [:]
        if controller.cacheName == nil { excuses.forgetDirty() } else { excuses.forget() }
        mayReload = false
    }

    /// Shows another list from now on.
    func replace(by list: PlannedList) {
        self.list = list
        identities = [:]
    }

    /// Checks that what was reported of a request that was replaced is what the new one shows.
    func checkReplacement(_ controller: Controller) throws {
        if try look(controller).shown != translated(state).shown {
            fail("not what was reported of the new request")
        }
        try begin(controller)
    }

    /// Checks that what was reported last is what is there: nothing was kept back.
    func checkNothingIsLeft(_ controller: Controller) throws {
        let old = translated(state)
        let now = try look(controller)
        if isOpen { fail("a change was begun and not ended") }
        if now.shown != old.shown {
            fail("the results changed without a word:\n\(old.shown)\nnow:\n\(now.shown)")
        } else if now.contents != old.contents {
            let rows = now.contents.filter { old.contents[$0.key] != $0.value }
            fail("rows changed without a word: \(rows.map { ($0.value, old.contents[$0.key] as Any) })")
        }
        if controller.fetchedObjects?.count != now.shown.sections.reduce(0, { $0 + $1.rows.count }) {
            fail("fetchedObjects has another number of rows")
        }
        excuses.forget()
        mayReload = false
        checkFormerResults(controller)
        checkFrozenResults()
    }

    // MARK: Looking

    /// The results and what they must be, by hand.
    func look(_ controller: Controller) throws -> State {
        var state = State()
        guard let snapshot = controller.snapshot else { return state }
        state.objectIDs = snapshot.map { $0.map { $0 } }
        for id in state.objectIDs.joined() { state.kinds[id.plain("Part")] = id.entityName }
        state.shown = ShownResults(
            sections: snapshot.map { section in
                ShownResults.Section(
                    identity: section.identity, name: section.name, rows: section.map { $0.plain("Part") })
            })
        var inventory = try warehouse.committed()
        let context = controller.managedObjectContext
        try inventory.overlay(context, includesOwn: list.includesPendingChanges)
        // What a child's parent saves is for the child another object.
        if context.parent == nil {
            for object in context.insertedObjects { state.unsaved[object.plainID] = object }
        }
        for section in state.shown.sections {
            for row in section.rows {
                if let part = inventory.parts[row] { state.contents[row] = list.content(part, in: inventory) }
            }
        }
        if snapshot.contains(where: { $0.contains { $0.isTemporary != $0.isUnsaved } }) {
            fail("an unsaved object is called a saved one")
        }
        check(state.shown, inventory)
        return state
    }

    /// V6: the results are what the data say.
    private func check(_ shown: ShownResults, _ inventory: Inventory) {
        let groups = list.groups(of: inventory)
        guard groups.map(\.rows) == shown.sections.map(\.rows),
            groups.map(\.name) == shown.sections.map(\.name)
        else {
            let found = shown.sections.flatMap { $0.rows.map(\.unsavedKey) }
            let expected = groups.flatMap { $0.rows.map(\.unsavedKey) }
            return fail(
                """
                not what the data say: \(found.difference(from: expected).map { "\($0)" })
                sections \(shown.sections.map { "\($0.name) \($0.rows.count)" })
                by hand \(groups.map { "\($0.name) \($0.rows.count)" })
                """)
        }
        for (group, section) in zip(groups, shown.sections) {
            // An unsaved shelf has its key from the save.
            if case .integer(ObjectID.firstUnsavedKey...) = group.key { continue }
            let known = identities[group.key]
            if known != nil, known != section.identity { fail("section \(group.key) has another identity") }
            identities[group.key] = section.identity
        }
        if Set(shown.sections.map(\.identity)).count != shown.sections.count { fail("two sections are one") }
    }

    /// A state with the identities that its objects have by now.
    func translated(_ state: State) -> State {
        guard !state.unsaved.isEmpty else { return state }
        func now(_ id: ObjectID) -> ObjectID { state.unsaved[id]?.plainID ?? id }
        func now(_ record: Record) -> Record {
            Record(
                id: now(record.id), kind: record.kind, values: record.values, target: record.target.map(now))
        }
        var result = state
        for place in result.shown.sections.indices {
            result.shown.sections[place].rows = result.shown.sections[place].rows.map(now)
        }
        result.kinds = Dictionary(state.kinds.map { (now($0), $1) }) { first, _ in first }
        result.contents = [:]
        for (id, content) in state.contents {
            result.contents[now(id)] = RowContent(
                part: now(content.part), shelf: content.shelf.map(now), hall: content.hall.map(now))
        }
        return result
    }

    // MARK: Hearing

    func controllerWillChangeContent(_ controller: Controller) {
        if isOpen { fail("a change inside a change") }
        if mustBeSilent { fail("a change is reported that nobody was to be told of") }
        isOpen = true
        events = []
        // To a child its own objects are others once its parent has saved them.
        guard controller.managedObjectContext.parent == nil else { return }
        let old = translated(state)
        let rows = controller.snapshot?.map { $0.map { $0.plain("Part") } }
        if rows != old.shown.sections.map(\.rows) { fail("not the old results before the first event") }
        checkPaths(controller, old.shown)
    }

    func controller(_ controller: Controller, didChangeSection event: ResultsChange.SectionEvent) {
        hear(.section(event), controller)
    }

    func controller(_ controller: Controller, didChangeObject event: ResultsChange.RowEvent) {
        hear(.row(event), controller)
    }

    private func hear(_ event: ResultsChange.Event, _ controller: Controller) {
        if !isOpen { fail("an event outside of a change") }
        if events.count < 4, case .row(let event) = event, let path = event.newIndexPath,
            controller.objectIfPresent(at: path)?.objectID != event.objectID
        {
            fail("not the new results at an event: \(event)")
        }
        events.append(event)
    }

    func controllerDidChangeContent(_ controller: Controller) {
        if !isOpen { fail("the end of nothing") }
        isOpen = false
    }

    func controller(_ controller: Controller, didFailToFollowChanges error: ObjectStorageError) {
        fail("\(error)")
    }

    func controller(_ controller: Controller, didChangeContentWith change: ResultsChange) {
        let old = translated(state)
        do {
            let new = try look(controller)
            state = new
            if change.isEmpty { fail("an empty change") }
            if change.events != events { fail("other events than told") }
            count("changes")
            try draw(change, in: controller.managedObjectContext)
            checkReload(change, threshold: controller.reloadThreshold, old, new)
            check(change, old, new)
            excuses.noteStamp()
        } catch {
            fail("\(error)")
        }
    }

    func controller(_ controller: Controller, didChangeContentWith snapshot: ResultsSnapshot<ManagedObject>) {
        check(snapshot)
        keep(controller)
        guard let interruption else { return }
        self.interruption = nil
        excuses.forget()
        do {
            try interruption()
        } catch {
            fail("in the middle of a report: \(error)")
        }
    }

    /// The snapshot is the results, on any thread.
    private func check(_ snapshot: ResultsSnapshot<ManagedObject>) {
        let queue = DispatchQueue.global()
        let rows =
            counts["changes", default: 0] % 4 == 0
            ? queue.sync { snapshot.map { $0.map { $0.plain("Part") } } }
            : snapshot.map { $0.map { $0.plain("Part") } }
        if rows != state.shown.sections.map(\.rows) { fail("the snapshot has other rows") }
        if snapshot.map(\.name) != state.shown.sections.map(\.name) {
            fail("the snapshot has other sections")
        }
    }
}
