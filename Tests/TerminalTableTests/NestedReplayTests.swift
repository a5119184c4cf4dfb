import CheckSupport
import SectionedFetch
import Testing

@testable import TerminalTable

/// Changes of nested sections that a controller reports, applied by a table of their subsections.
@Suite struct NestedReplayTests {
    /// The header and the rows of a subsection, computed without a controller.
    struct Subsection: Equatable {
        var group: String
        var title: String
        var songs: [Int64]
    }

    final class Table: FetchedResultsControllerDelegate {
        typealias Object = Song

        var model = TableModel<Int64>()
        var problems: [String] = []
        private(set) var kinds: [String: Int] = [:]

        func begin(_ controller: FetchedResultsController<Song>) {
            model = TableModel(sections: [TableSection](of: controller.sections!))
            fill(controller)
        }

        func controllerWillChangeContent(_ controller: FetchedResultsController<Song>) {
            model.beginUpdates()
        }

        func controller(
            _ controller: FetchedResultsController<Song>, didChangeContentWith change: ResultsChange
        ) {
            for event in change.sectionEvents { kinds["section \(event.kind)", default: 0] += 1 }
            for event in change.subsectionEvents { kinds["subsection \(event.kind)", default: 0] += 1 }
            let counts = [TableSection](of: controller.sections!).map(\.numberOfRows)
            model.recordNested(change) { [TableSection](of: controller.sections!) }
            do throws(TableUpdateError) {
                try model.endUpdates(newCounts: counts)
            } catch {
                problems.append(error.message)
            }
            fill(controller)
        }

        private func fill(_ controller: FetchedResultsController<Song>) {
            for (section, content) in model.sections.enumerated() {
                for row in 0..<content.numberOfRows {
                    let path = RowPath(section: section, row: row)
                    guard model.cells[path] == nil else { continue }
                    model.setCell(
                        controller.objectIfPresent(at: model.nestedPath(of: path))?.note ?? -1, at: path)
                }
            }
        }

        var shown: [Subsection] {
            model.sections.enumerated().map { position, section in
                Subsection(
                    group: section.group?.title ?? "?", title: section.title,
                    songs: (0..<section.numberOfRows).map {
                        model.cells[RowPath(section: position, row: $0)] ?? -1
                    })
            }
        }
    }

    private struct List: Sendable {
        let sort: [FetchRequest<Song>.SortDescriptor]
        let key: SectionKey
        let isSame: @Sendable (Song, Song) -> Bool
        let titles: @Sendable (Song) -> (group: String, title: String)
    }

    private static let lists: [List] = [
        List(
            sort: [.ascending("band.position"), .ascending(\.genre), .ascending(\.rank)],
            key: SectionKey("band", namedBy: "band.name").subdivided(by: "genre"),
            isSame: { $0.band === $1.band && $0.genre == $1.genre },
            titles: { ($0.band?.name ?? "", $0.genre ?? "") }),
        List(
            sort: [.ascending(\.genre), .ascending("band.position"), .ascending(\.rank)],
            key: SectionKey("genre").subdivided(by: SectionKey("band", namedBy: "band.name")),
            isSame: { $0.band === $1.band && $0.genre == $1.genre },
            titles: { ($0.genre ?? "", $0.band?.name ?? "") }),
    ]

    @Test(arguments: lists.indices)
    func `a table of subsections shows the rows of a new fetch after each change`(position: Int) throws {
        let list = Self.lists[position]
        let seed = SeededGenerator.newSeed("replaying nested sections \(position)")
        var jukebox = try Jukebox(seed: seed)
        let request = FetchRequest<Song>(sortDescriptors: list.sort)
        let controller = try FetchedResultsController(
            fetchRequest: request, context: jukebox.context, sectionNameKeyPath: list.key)
        let table = Table()
        controller.delegate = table
        try controller.performFetch()
        table.begin(controller)
        for batch in 0..<150 {
            try jukebox.change()
            var expected: [Subsection] = []
            var last: Song?
            for song in try jukebox.context.fetch(request) {
                if let last, list.isSame(last, song) {
                    expected[expected.count - 1].songs.append(song.note)
                } else {
                    let (group, title) = list.titles(song)
                    expected.append(Subsection(group: group, title: title, songs: [song.note]))
                }
                last = song
            }
            #expect(table.problems.isEmpty, "seed \(seed), batch \(batch)")
            try #require(table.shown == expected, "seed \(seed), batch \(batch)")
        }
        print("  \(table.kinds)")
        #expect(table.kinds["subsection insertion", default: 0] > 50)
        #expect(table.kinds["section insertion", default: 0] > 5)
        if position == 0 {
            #expect(
                table.kinds["section move", default: 0] > 5 && table.kinds["section update", default: 0] > 5)
        }
    }
}
