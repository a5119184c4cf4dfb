import SectionedFetch
import CheckSupport
import Testing

@testable import TerminalTable

/// Changes that a controller reports, applied by a table view.
@Suite struct ReplayTests {
    /// The contents of a row in the table.
    struct Cell: Equatable {
        let objectID: ObjectID
        let note: Int64
    }

    /// A table that keeps every cell, so that a cell at a wrong position is detected.
    final class Table: FetchedResultsControllerDelegate {
        typealias Object = Song

        var model = TableModel<Cell>()
        var problems: [String] = []
        /// The model before the last change, the change, and the counts after it.
        private(set) var last: (before: TableModel<Cell>, change: ResultsChange, counts: [Int])?
        private var before = TableModel<Cell>()
        private(set) var numberOfChanges = 0

        func begin(_ controller: FetchedResultsController<Song>) {
            model = TableModel(
                sections: controller.sections!.map {
                    TableSection(title: $0.name, numberOfRows: $0.numberOfObjects)
                })
            fill(controller)
        }

        func controllerWillChangeContent(_ controller: FetchedResultsController<Song>) {
            if counts(controller) != model.sections.map(\.numberOfRows) { problems.append("too early") }
            before = model
            model.beginUpdates()
        }

        func controller(
            _ controller: FetchedResultsController<Song>, didChangeContentWith change: ResultsChange
        ) {
            numberOfChanges += 1
            last = (before, change, counts(controller))
            model.record(change)
            do throws(TableUpdateError) {
                try model.endUpdates(newCounts: counts(controller))
            } catch {
                problems.append(error.message)
            }
            fill(controller)
        }

        private func counts(_ controller: FetchedResultsController<Song>) -> [Int] {
            controller.sections!.map(\.numberOfObjects)
        }

        /// Makes the cells that are missing, as a table view requests them.
        private func fill(_ controller: FetchedResultsController<Song>) {
            for (section, content) in model.sections.enumerated() {
                for row in 0..<content.numberOfRows {
                    let path = RowPath(section: section, row: row)
                    guard model.cells[path] == nil else { continue }
                    let song = controller.object(at: path.indexPath)
                    model.setCell(Cell(objectID: song.objectID, note: song.note), at: path)
                }
            }
        }
    }

    private func run(
        _ list: SongList, seed: UInt64, batches: Int = 150,
        after: (Table, inout Jukebox) throws -> Void
    ) throws -> Table {
        var jukebox = try Jukebox(seed: seed)
        let controller = try FetchedResultsController(
            fetchRequest: list.request, context: jukebox.context, sectionNameKeyPath: list.sectionKey)
        let table = Table()
        controller.delegate = table
        try controller.performFetch()
        table.begin(controller)
        for batch in 0..<batches {
            try jukebox.change()
            try after(table, &jukebox)
            guard table.problems.isEmpty else {
                Issue.record("seed \(seed), batch \(batch): \(table.problems)")
                break
            }
        }
        return table
    }

    @Test(arguments: SongList.all)
    func `a table that applies each change shows the rows of a new fetch`(list: SongList) throws {
        let seed = SeededGenerator.newSeed("replaying \(list.testDescription)")
        let table = try run(list, seed: seed) { table, jukebox in
            let fresh = try list.sections(in: jukebox.context)
            if table.model.sections.map(\.title) != fresh.map(\.title) { table.problems.append("titles") }
            let cells = fresh.enumerated().flatMap { section, content in
                content.songs.enumerated().map { row, song in
                    (
                        RowPath(section: section, row: row),
                        Cell(objectID: song.objectID, note: song.note)
                    )
                }
            }
            if table.model.cells != Dictionary(uniqueKeysWithValues: cells) {
                table.problems.append("rows")
            }
        }
        #expect(table.numberOfChanges > 100)
    }

    @Test(arguments: SongList.all)
    func `a repeated or missing event is refused`(list: SongList) throws {
        let seed = SeededGenerator.newSeed("spoiling \(list.testDescription)")
        var refused: [TableUpdateError.Rule: Int] = [:]
        _ = try run(list, seed: seed) { table, jukebox in
            guard let (before, change, counts) = table.last else { return }
            func replay(_ events: [ResultsChange.Event]) throws(TableUpdateError) {
                var model = before
                model.beginUpdates()
                for event in events { model.record(event) }
                try model.endUpdates(newCounts: counts)
            }
            func expectRefusal(_ events: [ResultsChange.Event], _ what: String) {
                do throws(TableUpdateError) {
                    try replay(events)
                    table.problems.append("\(what) is not detected: \(events)")
                } catch {
                    refused[error.rule, default: 0] += 1
                }
            }
            let events = change.forTableViews.events
            guard !events.isEmpty else { return }
            try replay(events)
            let position = jukebox.random(below: events.count)
            expectRefusal(events + [events[position]], "an event twice")
            let counted = events.indices.filter { isCounted(events[$0], change) }
            if !counted.isEmpty {
                var fewer = events
                fewer.remove(at: counted[jukebox.random(below: counted.count)])
                expectRefusal(fewer, "a missing event")
            }
            if change.forTableViews != change {
                expectRefusal(change.events, "a change with events that table views refuse")
            }
        }
        print("  \(refused)")
        #expect(refused[.conflict, default: 0] > 50)
        #expect(refused[.numberOfRows, default: 0] > 20)
        guard list.sectionKey != nil else { return }
        let moves: [TableUpdateError.Rule] = [.moveFromDeletedSection, .moveIntoInsertedSection]
        #expect(moves.reduce(0) { $0 + refused[$1, default: 0] } > 0)
        #expect(refused[.numberOfSections, default: 0] > 0)
    }

    /// Whether the counts would differ without an event: insertions and deletions of sections, and
    /// insertions, deletions and changes of section of rows whose sections stay.
    private func isCounted(_ event: ResultsChange.Event, _ change: ResultsChange) -> Bool {
        let deleted = change.sectionEvents.filter { $0.kind == .deletion }.map(\.oldPosition)
        let inserted = change.sectionEvents.filter { $0.kind == .insertion }.map(\.newPosition)
        switch event {
        case .section(let event): return event.kind == .insertion || event.kind == .deletion
        case .subsection: return false
        case .row(let event):
            return switch event.kind {
            case .insertion: !inserted.contains(event.newIndexPath?.section)
            case .deletion: !deleted.contains(event.indexPath?.section)
            case .move:
                change.sectionEvents.isEmpty && event.indexPath?.section != event.newIndexPath?.section
            case .update: false
            }
        }
    }
}
