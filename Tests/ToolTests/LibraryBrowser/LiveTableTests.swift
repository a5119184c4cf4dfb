import ArgumentParser
import Foundation
import SectionedFetch
import Testing

@testable import LibraryBrowser
@testable import TerminalTable
@testable import ToolSupport

/// The delegate that applies changes to the table.
@Suite struct LiveTableTests {
    private let store: BookStore
    private let context: ManagedObjectContext
    private let table: LiveTable
    private let list: ListRequest

    init() throws {
        store = try BookStore()
        let container = try PersistentContainer(url: URL(filePath: store.path))
        context = container.newContext()
        let request = FetchRequest<ManagedObject>(
            entityName: "Book", sortDescriptors: [.ascending("language"), .ascending("title")])
        list = ListRequest(fetchRequest: request, sectionKey: "language")
        table = try LiveTable(
            FetchedResultsController(
                fetchRequest: request, context: context, sectionNameKeyPath: "language"),
            columns: Column.columns("title,author.name", for: list, in: container))
        table.viewport.resize(height: 12)
    }

    private func insert(_ title: String, _ language: String) throws {
        let book = try context.insert(entityNamed: "Book")
        try book.setValue(.text(title), forProperty: "title")
        try book.setValue(.text(language), forProperty: "language")
        try book.setValue(.integer(0), forProperty: "isRead")
        try context.save()
    }

    @Test func `a batch is applied, counted and summarized`() throws {
        let rows = table.model.numberOfRows
        try insert("a new one", "Ainu")
        #expect(table.model.numberOfRows == rows + 1)
        #expect(table.numberOfBatches == 1)
        #expect(table.lastBatch?.summary == "+1 row, section “Ainu” inserted")
        let book = try #require(
            try context.fetch(
                FetchRequest<ManagedObject>(
                    entityName: "Book", predicate: .comparison("language", .equal, .text("Ainu")))
            ).first)
        try book.setValue(.text("another title"), forProperty: "title")
        try context.save()
        #expect(table.lastBatch?.summary == "1 updated")
        context.delete(book)
        try context.save()
        #expect(table.lastBatch?.summary == "−1 row, section “Ainu” deleted")
        #expect(table.numberOfBatches == 3)
        #expect(table.defect == nil)
    }

    @Test func `the titles of the sections for nil, the empty text and the text nil differ`() {
        let titles = table.model.sections.indices.map { table.shownTitle(ofSection: $0, of: list) }
        #expect(titles == ["nil", "\"\"", "Czech", "German", "e\u{301}", "\"nil\"", "日本語"])
    }

    @Test func `a live list has subsections with the titles of their sections`() throws {
        let container = context.container
        let key = SectionKey("language").subdivided(by: "isRead")
        let request = FetchRequest<ManagedObject>(
            entityName: "Book",
            sortDescriptors: [.ascending("language"), .ascending("isRead"), .ascending("title")])
        let options = try RequestOptions.parse([
            "--entity", "Book", "--group-by", "language", "--subgroup-by", "isRead", "--sort",
            "language,isRead,title",
        ])
        let nested = try options.request(in: container)
        #expect(nested.sectionKey == key && nested.fetchRequest == request)
        let list = try LiveTable(
            FetchedResultsController(
                fetchRequest: request, context: context, sectionNameKeyPath: nested.sectionKey),
            columns: Column.columns("title,isRead", for: nested, in: container))
        list.viewport.resize(height: 100)
        func check() {
            var expected: [(String, [String])] = []
            let books = try? context.fetch(request)
            let languages = Dictionary(grouping: books ?? []) { try? $0.value(forProperty: "language") }
            for book in books ?? [] {
                let (title, language, isRead) = (
                    try? book.value(forProperty: "title"), try? book.value(forProperty: "language"),
                    try? book.value(forProperty: "isRead")
                )
                let count = languages[language]?.count ?? 0
                var shown = "nil"
                if case .text(let text)? = language { shown = ValueText.shown(text) }
                let header = "\(shown)  \(count) › \(isRead == .integer(1))"
                guard case .text(let text)? = title else { continue }
                if expected.last?.0 != header { expected.append((header, [])) }
                expected[expected.count - 1].1.append(text)
            }
            #expect(
                list.model.sections.indices.map { list.shownTitle(ofSection: $0, of: nested) }
                    == expected.map(\.0))
            for (section, (_, titles)) in expected.enumerated() {
                #expect(
                    titles.indices.map { list.cells(at: RowPath(section: section, row: $0))[0] } == titles)
            }
            #expect(list.defect == nil)
        }
        check()
        let batches = list.numberOfBatches
        try insert("a new one", "Ainu")
        try insert("another one", "German")
        check()
        #expect(list.numberOfBatches == batches + 2)
        var search = try #require(LiveSearch(list.controller, columns: list.columns))
        search.search(for: "a new one")
        let found = try #require(try search.match(from: 0, in: list.viewport))
        #expect(list.cells(at: found)[0] == "a new one")
    }

    @Test func `cells are made only for the rows on the screen`() throws {
        for case .row(let path) in table.viewport.lines { _ = table.cells(at: path) }
        #expect(
            table.model.cells.count
                == table.viewport.lines.count { if case .row = $0 { true } else { false } })
        table.viewport.choose(.max)
        table.dropHiddenCells()
        #expect(table.model.cells.isEmpty)
    }

    @Test func `a change that is reported twice is a defect, and the message names the section`() async throws
    {
        try insert("first", "Ainu")
        #expect(table.defect == nil)
        // The controller's change is reported once more, so that the counts cannot add up.
        let changes = table.controller.changes
        try insert("second", "Ainu")
        var iterator = changes.makeAsyncIterator()
        let change = try #require(await iterator.next(isolation: #isolation))
        table.controllerWillChangeContent(table.controller)
        table.controller(table.controller, didChangeContentWith: change)
        let message = try #require(table.defect?.message)
        #expect(message.hasPrefix("Invalid update: invalid number of rows in section "))
        #expect(message.contains("(“Ainu”)"))
        #expect(message.contains("after the update (2)") && message.contains("before the update (2)"))
    }
}
