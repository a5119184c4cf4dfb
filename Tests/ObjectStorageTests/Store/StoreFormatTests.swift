import CheckSupport
import Foundation
import GRDB
import ObjectStorage
import Testing

/// The article “Store Format” has the schema of real stores.
@Suite struct StoreFormatTests {
    private final class Picture: ManagedObject {
        @Attribute var title: String = ""
        @Attribute(.externalStorage) var bytes: Data?
    }

    /// Returns the statements of an article's SQL listings, each on one line.
    private func statements() throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let article = try String(
            contentsOf: root.appending(
                path: "Sources/SectionedFetch/Documentation.docc/StoreFormat.md"), encoding: .utf8)
        return article.components(separatedBy: "```").filter { $0.hasPrefix("sql\n") }.map {
            onOneLine(String($0.dropFirst("sql\n".count)))
        }
    }

    private func onOneLine(_ sql: String) -> String {
        sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test func `each statement of the article is in the schema of a migrated store, and no other table is`()
        throws
    {
        let directory = try TemporaryDirectory()
        let url = directory.url.appending(path: "pictures.store")
        let first = EntityDescription(
            name: "Picture", attributes: [AttributeDescription(name: "title", type: .string)])
        _ = try PersistentContainer(url: url, model: ManagedObjectModel(entities: [first]))
        let container = try PersistentContainer(url: url, model: ManagedObjectModel(types: Picture.self))
        let context = container.newContext()
        Picture(context: context).title = "Irises"
        try context.save()

        let database = try DatabaseQueue(path: url.path)
        let tables = try database.read { database in
            try String.fetchAll(
                database,
                sql: "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name GLOB 'sc_*' ORDER BY name")
        }
        #expect(tables.map(onOneLine) == (try statements()).sorted())
        let format = try database.read { database in
            try Int.fetchOne(database, sql: "SELECT format FROM sc_store")
        }
        #expect(format == 2)
    }
}
