import Foundation
import ObjectStorage
import Testing

/// Another program may rename a column of a table, also while this program runs.
@Suite struct RenamedColumnTests {
    @Test(arguments: ["title", "author"])
    func `a missing column is an error and not the name of the column as text`(column: String) throws {
        let library = try Library()
        let context = library.container.newContext()
        let work = Work(context: context)
        (work.title, work.year, work.author) = ("t", 1900, Author(context: context))
        try context.save()
        let other = library.container.newContext()
        let request = FetchRequest<Work>(sortDescriptors: [.ascending(\.title), .ascending("author.name")])
        #expect(try other.fetch(request).map(\.title) == ["t"])
        try library.runElsewhere("ALTER TABLE Work RENAME COLUMN \(column) TO other")
        for reader in [context, other, library.container.newContext()] {
            reader.refreshAllObjects()
            let error = #expect(throws: ObjectStorageError.self) { try reader.fetch(request) }
            #expect(error?.message.contains("no such column") == true)
        }
        #expect(throws: ObjectStorageError.self) { try work.load() }
        try library.runElsewhere("ALTER TABLE Work RENAME COLUMN other TO \(column)")
        #expect(try other.fetch(request).map(\.title) == ["t"])
        try work.load()
        #expect(work.title == "t" && work.author != nil)
    }
}
