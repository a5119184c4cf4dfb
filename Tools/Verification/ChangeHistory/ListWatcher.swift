import Foundation
import SectionedFetch

/// Follows a controller as its delegate, and compares every change with an oracle.
final class ListWatcher: FetchedResultsControllerDelegate {
    typealias Object = ManagedObject
    typealias Controller = FetchedResultsController<ManagedObject>

    /// The results that a view shows at one moment.
    struct State {
        var shown = ShownResults()
        /// The sections of a list with nested ones; ``shown`` has their subsections.
        var nested: NestedResults?
        var contents: [ObjectID: RowContent] = [:]
        /// The object IDs of the rows in the results; ``shown`` has their plain IDs.
        var objectIDs: [[ObjectID]] = []
        /// The names of the entities in the object IDs of the rows.
        var entityNames: [ObjectID: String] = [:]
        /// The unsaved objects, by the plain IDs that they had at that moment.
        var unsaved: [ObjectID: ManagedObject] = [:]
    }

    let warehouse: Warehouse
    var list: PlannedList
    var state = State()
    var excuses: Excuses
    /// Whether the next change may be one reload, because the changed rows may be unknown.
    var mayReload = false
    /// The number of changes of a table that the log records between two stamps, if it is so low that others
    /// often write more.
    var logCapacity: Int?
    /// Whether all changes are of rows of the list's own context, which are reported regardless of the log's
    /// capacity.
    var mustTellRows = false
    /// Whether the next change is the replacement of the request.
    var isReplacing = false
    /// Whether no change may be reported now.
    var mustBeSilent = false
    /// An action in the middle of the next report.
    var interruption: (() throws -> Void)?
    private(set) var failures: [String] = []
    private(set) var counts: [String: Int] = [:]
    private var events: [ResultsChange.Event] = []
    private var isOpen = false
    /// The rows on the screen, by their plain IDs.
    var screen: [ObjectID: VisibleRow] = [:]
    /// A snapshot from some changes ago, of which no row has been read yet.
    var previous: PreviousResults?
    /// Results without a delegate, of which no row has been read yet.
    var frozen: FrozenResults?
    /// The identity of each section, by the value of its key.
    private var identities: [StoredValue: [UInt8]] = [:]

    init(_ list: PlannedList, in warehouse: Warehouse) {
        self.list = list
        self.warehouse = warehouse
        excuses = Excuses(isOurs: warehouse.schema.isOurs)
    }

    /// The current action, for the message of a failure.
    var moment = ""

    func fail(_ message: String) { failures.append("\(moment): \(message)") }

    func count(_ event: String) { counts[event, default: 0] += 1 }

    /// Sets the state that the view shows to the current results, without a check.
    func begin(_ controller: Controller) throws {
        state = try look(controller)
        screen = [:]
        if controller.cacheName == nil { excuses.forgetDirty() } else { excuses.forget() }
        mayReload = false
    }

    /// Replaces the list.
    func replace(by list: PlannedList) {
        self.list = list
        identities = [:]
    }

    /// Checks that the state after the reported replacement of a request is that of the new request.
    func checkReplacement(_ controller: Controller) throws {
        if try look(controller).shown != translated(state).shown {
            fail("the results of the new request are not the reported ones")
        }
        try begin(controller)
    }

    /// Checks that the reports so far lead to the current results: none is missing.
    func checkNothingIsLeft(_ controller: Controller) throws {
        let old = translated(state)
        let now = try look(controller)
        if isOpen { fail("controllerDidChangeContent was not called") }
        if now.shown != old.shown {
            fail("the results changed without a report:\n\(old.shown)\nnow:\n\(now.shown)")
        } else {
            let rows = now.contents.filter {
                old.contents[$0.key] != $0.value && !isUnreported($0.key, old, now)
            }
            if rows.isEmpty {
                state = now
            } else {
                fail("rows changed without a report: \(rows.map { ($0.value, old.contents[$0.key] as Any) })")
            }
        }
        if controller.fetchedObjects?.count != now.shown.sections.reduce(0, { $0 + $1.rows.count }) {
            fail("fetchedObjects has another number of rows")
        }
        excuses.forget()
        mayReload = false
        checkPreviousResults(controller)
        checkFrozenResults()
    }

    // MARK: State

    /// Returns the current results and the values of their rows by the oracle, and checks the results.
    func look(_ controller: Controller) throws -> State {
        var state = State()
        guard let snapshot = controller.snapshot else { return state }
        state.objectIDs = snapshot.map { $0.map { $0 } }
        for id in state.objectIDs.joined() { state.entityNames[id.plain] = id.entityName }
        state.shown = ShownResults(sections: snapshot.shownSections)
        if list.subsection != nil { state.nested = NestedResults(snapshot) { $0.plain } }
        var inventory = try warehouse.committed()
        let context = controller.managedObjectContext
        try inventory.overlay(context, includesOwn: list.includesPendingChanges)
        // For a child, an object that its parent saves becomes another object.
        if context.parent == nil {
            for object in context.insertedObjects { state.unsaved[object.plainID] = object }
        }
        for section in state.shown.sections {
            for row in section.rows {
                if let part = inventory.record(row) {
                    state.contents[row] = list.content(part, in: inventory)
                }
            }
        }
        if snapshot.contains(where: { $0.contains { $0.isTemporary != $0.isUnsaved } }) {
            fail("the kind of an object ID does not say whether the object is saved")
        }
        check(state.shown, inventory)
        return state
    }

    /// Checks rule V6: the results are those of the oracle.
    private func check(_ shown: ShownResults, _ inventory: Inventory) {
        let groups = list.groups(of: inventory)
        guard groups.map(\.rows) == shown.sections.map(\.rows),
            groups.map(\.name) == shown.sections.map(\.name)
        else {
            let found = shown.sections.flatMap { $0.rows.map(\.unsavedKey) }
            let expected = groups.flatMap { $0.rows.map(\.unsavedKey) }
            return fail(
                """
                not the results of the oracle: \(found.difference(from: expected).map { "\($0)" })
                sections \(shown.sections.map { "\($0.name) \($0.rows.count)" })
                oracle \(groups.map { "\($0.name) \($0.rows.count)" })
                """)
        }
        for (group, section) in zip(groups, shown.sections) {
            // The key of an unsaved shelf changes when it is saved.
            if case .integer(ObjectID.firstUnsavedKey...) = group.key { continue }
            let known = identities[group.key]
            if known != nil, known != section.identity { fail("section \(group.key) has another identity") }
            identities[group.key] = section.identity
        }
        if Set(shown.sections.map(\.identity)).count != shown.sections.count {
            fail("two sections have the same identity")
        }
    }

    /// Returns a state with the current IDs of its objects.
    func translated(_ state: State) -> State {
        guard !state.unsaved.isEmpty else { return state }
        func now(_ id: ObjectID) -> ObjectID { state.unsaved[id]?.plainID ?? id }
        func now(_ record: Record) -> Record {
            Record(
                id: now(record.id), kind: record.kind, values: record.values, target: record.target.map(now))
        }
        var result = state
        for index in result.shown.sections.indices {
            result.shown.sections[index].rows = result.shown.sections[index].rows.map(now)
        }
        result.nested = state.nested?.mapping(now)
        result.entityNames = Dictionary(state.entityNames.map { (now($0), $1) }) { first, _ in first }
        result.contents = [:]
        for (id, content) in state.contents {
            result.contents[now(id)] = RowContent(
                part: now(content.part), shelf: content.shelf.map(now), hall: content.hall.map(now),
                words: content.words)
        }
        return result
    }

    // MARK: Delegate

    func controllerWillChangeContent(_ controller: Controller) {
        if isOpen { fail("a change inside a change") }
        if mustBeSilent { fail("a change is reported while it must not be") }
        isOpen = true
        events = []
        // For a child, its own objects become other objects once its parent has saved them.
        guard controller.managedObjectContext.parent == nil else { return }
        let old = translated(state)
        let rows = controller.snapshot?.shownSections.map(\.rows)
        if rows != old.shown.sections.map(\.rows) { fail("not the old results before the first event") }
        if old.nested == nil { checkPaths(controller, old.shown) }
    }

    func controller(_ controller: Controller, didChangeSection event: ResultsChange.SectionEvent) {
        receive(.section(event), controller)
    }

    func controller(_ controller: Controller, didChangeSubsection event: ResultsChange.SubsectionEvent) {
        receive(.subsection(event), controller)
    }

    func controller(_ controller: Controller, didChangeObject event: ResultsChange.RowEvent) {
        receive(.row(event), controller)
    }

    private func receive(_ event: ResultsChange.Event, _ controller: Controller) {
        if !isOpen { fail("an event outside a change") }
        if events.count < 4, case .row(let event) = event, let path = event.newIndexPath,
            controller.objectIfPresent(at: path)?.objectID != event.objectID
        {
            fail("not the new results at an event: \(event)")
        }
        events.append(event)
    }

    func controllerDidChangeContent(_ controller: Controller) {
        if !isOpen { fail("controllerDidChangeContent without controllerWillChangeContent") }
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
            if change.events != events { fail("the change has other events than the delegate received") }
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

    /// Checks that a snapshot has the rows and section names of the results, in some cases on another thread.
    private func check(_ snapshot: ResultsSnapshot<ManagedObject>) {
        let queue = DispatchQueue.global()
        let rows =
            counts["changes", default: 0] % 4 == 0
            ? queue.sync { snapshot.shownSections.map(\.rows) } : snapshot.shownSections.map(\.rows)
        if rows != state.shown.sections.map(\.rows) { fail("the snapshot has different rows") }
        if snapshot.shownSections.map(\.name) != state.shown.sections.map(\.name) {
            fail("the snapshot has different sections")
        }
    }
}
