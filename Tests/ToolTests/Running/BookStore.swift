import Foundation
import SectionedFetch

/// A store of invented books, and its contents as plain Swift values, which are the oracle.
struct BookStore {
    struct Book: Hashable, Sendable {
        let title: String
        let language: String?
        let year: Int?
        let rating: Double?
        let isRead: Bool
        /// Seconds since 2001-01-01 UTC.
        let added: Double?
        let author: String?
    }

    let directory: ScratchDirectory
    let books: [Book]

    var path: String { directory.path("books.store") }
    var caches: String { directory.path("caches") }

    /// Makes the store in a new directory.
    init(_ books: [Book] = Self.sample) throws {
        directory = try ScratchDirectory()
        self.books = books
        let container = try PersistentContainer(
            url: URL(filePath: directory.path("books.store")), model: Self.model())
        try container.write { writer in
            let authors = try writer.table("Author")
            let table = try writer.table("Book")
            var keys: [String: Int64] = [:]
            for book in books {
                var author = StoredValue.null
                if let name = book.author {
                    let key = try keys[name] ?? authors.insert([.text(name)])
                    keys[name] = key
                    author = .integer(key)
                }
                _ = try table.insert([
                    .text(book.title), book.language.storedValue, book.year.storedValue,
                    book.rating.storedValue,
                    book.isRead.storedValue, book.added.storedValue, .blob([1, 2, 3]), author,
                ])
            }
            _ = try writer.table("Note").insert([.text("unrelated")])
        }
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Book",
                attributes: [
                    AttributeDescription(name: "title", type: .string),
                    AttributeDescription(name: "language", type: .string, isOptional: true),
                    AttributeDescription(name: "year", type: .integer32, isOptional: true),
                    AttributeDescription(name: "rating", type: .double, isOptional: true),
                    AttributeDescription(name: "isRead", type: .boolean),
                    AttributeDescription(name: "added", type: .date, isOptional: true),
                    AttributeDescription(name: "cover", type: .binaryData, isOptional: true),
                ],
                relationships: [.toOne("author", to: "Author", inverse: "books")]),
            EntityDescription(
                name: "Author", attributes: [AttributeDescription(name: "name", type: .string)],
                relationships: [.toMany("books", to: "Book", inverse: "author")]),
            EntityDescription(name: "Note", attributes: [AttributeDescription(name: "text", type: .string)]),
        ])
    }

    /// Forty books with languages and authors of all kinds: nil, the empty text, the text nil, wide and
    /// combining characters, and terminal control characters.
    static let sample: [Book] = {
        let languages = ["German", nil, "Czech", "", "nil", "日本語", "e\u{301}", "German"]
        let authors = ["Ada", "\u{1B}[31mMallory\u{7}", "Žofie", nil, "Ada"]
        let words = ["Été", "Zeit", "apple", "4 rooms", "李"]
        return (0..<40).map { (number: Int) -> Book in
            let title = number == 7 ? "Line\nbreak" : "\(words[number % 5]) \(number)"
            let year: Int? = number % 6 == 0 ? nil : 1900 + number * 7 % 40
            let rating: Double? = number % 4 == 0 ? nil : Double(number) / 8
            let added: Double? = number % 5 == 0 ? nil : Double(number * 40 * 86_400) + 0.5
            return Book(
                title: title, language: languages[number * 5 % 8], year: year, rating: rating,
                isRead: number % 3 == 0, added: added, author: authors[number % 5])
        }
    }()

    /// Returns the books in sections by a key, in SQLite's binary order: nil first, then by bytes. The books
    /// of a section are in the order of their insertion.
    func sections(by key: (Book) -> String?) -> [(name: String?, books: [Book])] {
        let groups = Dictionary(grouping: books, by: key)
        let names = groups.keys.sorted { first, second in
            guard let first else { return second != nil }
            guard let second else { return false }
            return Array(first.utf8).lexicographicallyPrecedes(Array(second.utf8))
        }
        return names.map { ($0, groups[$0] ?? []) }
    }

    /// Runs the browser on the store, with its caches in the same directory.
    func browse(_ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("library-browser", [path, "--cache-directory", caches] + arguments)
    }

    /// Runs the inspector on the caches.
    func inspect(_ arguments: String...) throws -> ToolRun { try inspect(arguments) }

    /// Runs the inspector on the caches.
    func inspect(_ arguments: [String]) throws -> ToolRun {
        try ToolProcess.run("cache-inspector", arguments + ["--cache-directory", caches])
    }
}

extension Optional where Wrapped == String {
    /// The name of a section, which is empty for nil.
    var shown: String { self ?? "" }
}
