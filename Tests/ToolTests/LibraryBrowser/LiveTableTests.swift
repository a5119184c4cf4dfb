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
