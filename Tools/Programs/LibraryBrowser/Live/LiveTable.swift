import SectionedFetch
import TerminalTable
import ToolSupport

/// A controller's results in a table view: tells the table what the controller tells its delegate, and makes
/// cells for rows that are looked at.
final class LiveTable: FetchedResultsControllerDelegate {
    typealias Object = ManagedObject

    /// A row on the screen. Its object is held, so that merges look for changes of it.
    struct ShownRow {
        let object: ManagedObject
        let cells: [String]
    }

    /// One batch of changes.
    struct Batch {
        let summary: String
        /// What the table took to carry it out.
        let duration: Duration
    }

    let controller: FetchedResultsController<ManagedObject>
    let columns: [Column]
    private(set) var model = TableModel<ShownRow>()
    /// Whether the sections came from the cache at the start; nil without one. A change is found by
    /// computing.
    private(set) var lookupAtStart: CacheLookup?
    private(set) var indexBar = IndexBar(titlesOfSections: [])
    var viewport: Viewport
    private(set) var numberOfBatches = 0
    private(set) var lastBatch: Batch?
    /// Why the table refused an update. Then what it shows is not what there is.
    private(set) var defect: TableUpdateError?
    /// Why the controller could not follow the last changes.
    var failure: ObjectStorageError? { controller.trackingError }
    private let hasHeaders: Bool

    /// Fetches, and shows the beginning of the results.
    ///
    /// - Throws: ``ObjectStorageError``.
    init(
        _ controller: FetchedResultsController<ManagedObject>, columns: [Column]
    ) throws(ObjectStorageError) {
        self.controller = controller
        self.columns = columns
        hasHeaders = controller.sectionKey != nil
        viewport = Viewport(height: 1, counts: [], hasHeaders: hasHeaders)
        // Changes are followed from the first fetch on if there is a delegate by then.
        controller.delegate = self
        try controller.performFetch()
        lookupAtStart = controller.cacheLookup
        let sections = controller.sections.map(Array.init) ?? []
        model = TableModel(
            sections: sections.map { TableSection(title: $0.name, numberOfRows: $0.numberOfObjects) })
        viewport = Viewport(height: 1, counts: newCounts, hasHeaders: hasHeaders)
        indexBar = IndexBar(titlesOfSections: hasHeaders ? sections.map(\.indexTitle) : [])
    }

    /// The cells of a row, made when it comes on the screen.
    func cells(at path: RowPath) -> [String] {
        if let row = model.cells[path] { return row.cells }
        let object = controller.object(at: path.indexPath)
        let cells = columns.map { column in
            do throws(ObjectStorageError) {
                return ValueText.text(try column.property.value(for: object), of: column.property)
            } catch {
                // Most likely deleted by another program a moment ago; the change that says so is on its way.
                return "?"
            }
        }
        model.setCell(ShownRow(object: object, cells: cells), at: path)
        return cells
    }

    /// What the title of a section reads for people: the table knows it, but not whether an empty one stands
    /// for no value.
    func shownTitle(ofSection position: Int, of list: ListRequest) -> String {
        let title = model.sections[position].title
        guard title.isEmpty, let sections = controller.sections, sections.indices.contains(position) else {
            return ValueText.shown(title)
        }
        return list.shownName(of: sections[position], in: controller.managedObjectContext.container)
    }

    /// Drops the cells that are not on the screen.
    func dropHiddenCells() {
        let visible = Set(viewport.lines)
        model.keepCells { visible.contains(.row($0)) }
    }

    /// Makes cells anew that show related objects, of which a controller says nothing unless its request
    /// reads them.
    func refreshCells(after changes: StoreChanges) {
        let showsRelated = columns.contains { !$0.property.relationshipNames.isEmpty }
        if showsRelated, changes.entityNames != [controller.fetchRequest.entityName] { model.dropCells() }
    }

    private var newCounts: [Int] { controller.sections?.map(\.numberOfObjects) ?? [] }
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
            model.record(change)
            let mapping = try model.endUpdates(newCounts: counts)
            viewport.update(counts: counts, mapping)
        } catch {
            return refuse(error)
        }
        if hasHeaders, !change.sectionEvents.isEmpty {
            indexBar = IndexBar(titlesOfSections: controller.sections?.map(\.indexTitle) ?? [])
        }
        numberOfBatches += 1
        lastBatch = Batch(summary: ChangeSummary.text(change), duration: .now - start)
    }

    /// The first defect is the one that tells.
    private func refuse(_ error: TableUpdateError) { defect = defect ?? error }
}
