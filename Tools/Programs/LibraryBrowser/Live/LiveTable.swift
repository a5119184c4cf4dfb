import Foundation
import SectionedFetch
import TerminalTable
import ToolSupport

/// A controller's results in a table model: forwards the controller's reports to the table, and creates cells
/// for the visible rows.
final class LiveTable: FetchedResultsControllerDelegate {
    typealias Object = ManagedObject

    /// A row on the screen. It retains its object, so that merges check the object for changes.
    struct ShownRow {
        let object: ManagedObject
        let cells: [String]
    }

    /// A batch of changes.
    struct Batch {
        let summary: String
        /// The time that the table needed to apply the batch.
        let duration: Duration
    }

    let controller: FetchedResultsController<ManagedObject>
    let columns: [Column]
    private(set) var model = TableModel<ShownRow>()
    /// The cache look-up of the first fetch, or nil without a cache. Later changes are computed.
    private(set) var lookupAtStart: CacheLookup?
    private(set) var indexBar = IndexBar(titlesOfSections: [])
    var viewport: Viewport
    private(set) var numberOfBatches = 0
    private(set) var lastBatch: Batch?
    /// The error with which the table refused an update, after which it no longer shows the results.
    private(set) var defect: TableUpdateError?
    /// The error with which the controller failed to follow the last changes.
    var failure: ObjectStorageError? { controller.trackingError }
    private let hasHeaders: Bool

    /// Creates a table and fetches its results.
    ///
    /// - Throws: ``ObjectStorageError``.
    init(
        _ controller: FetchedResultsController<ManagedObject>, columns: [Column]
    ) throws(ObjectStorageError) {
        self.controller = controller
        self.columns = columns
        hasHeaders = controller.sectionKey != nil
        viewport = Viewport(height: 1, counts: [], hasHeaders: hasHeaders)
        // The delegate is set before the first fetch, from which on the controller follows changes.
        controller.delegate = self
        try controller.performFetch()
        lookupAtStart = controller.cacheLookup
        model = TableModel(sections: newSections)
        viewport = Viewport(height: 1, counts: newCounts, hasHeaders: hasHeaders)
        indexBar = newIndexBar
    }

    /// Whether the sections of the table are the subsections of nested sections.
    var isNested: Bool { controller.sectionKey?.isNested ?? false }

    /// The object of the chosen row; nil in an empty table.
    var chosenObject: ManagedObject? { viewport.chosenPath.map(object) }

    private func object(at path: RowPath) -> ManagedObject {
        controller.object(at: isNested ? model.nestedPath(of: path) : path.indexPath)
    }

    /// Returns the cells of a row, creating them when the row first appears on the screen.
    func cells(at path: RowPath) -> [String] {
        if let row = model.cells[path] { return row.cells }
        let object = object(at: path)
        let cells = columns.map { column in
            do throws(ObjectStorageError) {
                return ValueText.text(try column.property.value(for: object), of: column.property)
            } catch {
                // Most likely another program deleted the row a moment ago, and the change is not merged yet.
                return "?"
            }
        }
        model.setCell(ShownRow(object: object, cells: cells), at: path)
        return cells
    }

    /// Drops the cells that are not on the screen.
    func dropHiddenCells() {
        let visible = Set(viewport.lines)
        model.keepCells { visible.contains(.row($0)) }
    }

    /// Drops cells that show related objects after a change of such objects, which a controller does not
    /// report unless its request reads them.
    func refreshCells(after changes: StoreChanges) {
        let showsRelated = columns.contains { !$0.property.relationshipNames.isEmpty }
        if showsRelated, !changes.entityNames.isSubset(of: entityNames) { model.dropCells() }
    }

    /// The names of the entities of the list.
    private var entityNames: Set<String> {
        Set(controller.fetchRequest.entityName.split(separator: "+").map(String.init))
    }

    private var newSections: [TableSection] { controller.sections.map { [TableSection](of: $0) } ?? [] }

    private var newCounts: [Int] { newSections.map(\.numberOfRows) }

    /// The index bar of the current sections; a section has its title once for all of its subsections.
    private var newIndexBar: IndexBar {
        guard hasHeaders, let sections = controller.sections else { return IndexBar(titlesOfSections: []) }
        return IndexBar(
            titlesOfSections: sections.flatMap { section in
                Array(repeating: section.indexTitle, count: section.subsections?.count ?? 1)
            })
    }
}

extension LiveTable {
    func controllerWillChangeContent(_ controller: FetchedResultsController<ManagedObject>) {
        let counts = newCounts
        let known = model.sections.map(\.numberOfRows)
        if counts != known { refuse(TableUpdateError(unannouncedCounts: counts, insteadOf: known)) }
        model.beginUpdates()
    }

    func controller(
        _ controller: FetchedResultsController<ManagedObject>, didChangeContentWith change: ResultsChange
    ) {
        let start = ContinuousClock.now
        let counts = newCounts
        do throws(TableUpdateError) {
            if isNested {
                model.recordNested(change) { newSections }
            } else {
                model.record(change)
            }
            let mapping = try model.endUpdates(newCounts: counts)
            viewport.update(counts: counts, mapping)
        } catch {
            return refuse(error)
        }
        if hasHeaders, !change.sectionEvents.isEmpty || !change.subsectionEvents.isEmpty {
            indexBar = newIndexBar
        }
        numberOfBatches += 1
        lastBatch = Batch(summary: ChangeSummary.text(change), duration: .now - start)
    }

    /// Records the first defect, which is the cause of later ones.
    private func refuse(_ error: TableUpdateError) { defect = defect ?? error }
}
