import SectionedFetch
import Testing

/// Rows that the store refuses leave no related objects, but a gap in the keys, because no key is used
/// twice.
@Suite struct LibraryImportSkippedRowTests {
    private static let relationships = ["--relationship", "author=Author"]

    /// Makes a store of books with a unique ISBN and a title of at most five characters.
    private func booksFile(
        _ content: String,
        author: [AttributeDescription] = [AttributeDescription(name: "name", type: .string, isUnique: true)]
    ) throws -> LibraryImportFile {
        let file = try LibraryImportFile(content)
        let book = EntityDescription(
            name: "Book",
            attributes: [
                AttributeDescription(name: "isbn", type: .string, isOptional: true, isUnique: true),
                AttributeDescription(name: "title", type: .string, rules: [.maximum(5)]),
            ],
            relationships: [
                .toOne("author", to: "Author", inverse: nil), .toOne("editor", to: "Author", inverse: nil),
            ])
        _ = try PersistentContainer(
            url: file.directory.file("library.store"),
            model: ManagedObjectModel(
                entities: [book, EntityDescription(name: "Author", attributes: author, relationships: [])]))
        return file
    }

    @Test(arguments: [("1,B", "UNIQUE constraint failed: Book.isbn"), ("2,too long", "title")])
    func `a row that the store refuses leaves no related object behind`(row: String, reason: String) throws {
        let file = try booksFile("isbn,title,author\n1,A,Ann\n\(row),Bob\n3,C,Cyd\n")
        let run = try file.run(Self.relationships + ["--no-key"])
        #expect(run.status == 1 && run.errors.contains(":3: ") && run.errors.contains(reason), "\(run)")
        #expect(run.output.hasPrefix("2 inserted, 0 updated, 0 unchanged, 1 skipped"), "\(run)")
        #expect(try file.rows("Author", ["name"]) == [["Ann"], ["Cyd"]])
        #expect(try file.rows("Book", ["isbn", "author"]) == [["1", 1], ["3", 3]])
    }

    @Test func `an object of a refused row is created again for a later row`() throws {
        let file = try booksFile("isbn,title,author\n1,A,Ann\n1,B,Bob\n2,C,Bob\n3,D,Bob\n")
        let counts = try file.counts(Self.relationships + ["--no-key"], status: 1)
        #expect(counts == LibraryImportCounts(inserted: 3, skipped: 1, createdRelated: 2))
        let authors = try file.rows("Author", ["name"])
        #expect(authors == [["Ann"], ["Bob"]])
        #expect(try file.rows("Book", ["isbn", "author"]) == [["1", 1], ["2", 3], ["3", 3]])
    }

    @Test func `a refused row keeps the objects that other rows created`() throws {
        let file = try booksFile("isbn,title,author\n1,A,Ann\n1,B,Ann\n2,C,Ann\n")
        let counts = try file.counts(Self.relationships + ["--no-key"], status: 1)
        #expect(counts == LibraryImportCounts(inserted: 2, skipped: 1, createdRelated: 1))
        #expect(try file.rows("Author", ["name"]) == [["Ann"]])
    }

    @Test func `a refused update leaves no related object behind`() throws {
        let file = try booksFile("isbn,title,author,editor\n1,A,Ann,Ann\n1,too long,Bob,Ann\n1,B,Cyd,Ann\n")
        let counts = try file.counts(
            Self.relationships + ["--relationship", "editor=Author", "--key", "isbn"], status: 1)
        #expect(counts == LibraryImportCounts(inserted: 1, updated: 1, skipped: 1, createdRelated: 2))
        #expect(try file.rows("Author", ["name"]) == [["Ann"], ["Cyd"]])
    }

    @Test func `a row may name a new object twice`() throws {
        let file = try booksFile("isbn,title,author,editor\n1,A,Ann,Ann\n1,B,Bob,Bob\n2,C,Cyd,Dan\n")
        let counts = try file.counts(
            Self.relationships + ["--relationship", "editor=Author", "--no-key"], status: 1)
        #expect(counts == LibraryImportCounts(inserted: 2, skipped: 1, createdRelated: 3))
        #expect(try file.rows("Author", ["name"]) == [["Ann"], ["Cyd"], ["Dan"]])
        #expect(try file.rows("Book", ["author", "editor"]) == [[1, 1], [3, 4]])
    }

    @Test func `a related object that the store refuses is refused with its row`() throws {
        let name = AttributeDescription(name: "name", type: .string, isUnique: true, rules: [.maximum(3)])
        let file = try booksFile("isbn,title,author,editor\n1,A,Ann,Barbara\n2,B,Bob,Bob\n", author: [name])
        let counts = try file.counts(
            Self.relationships + ["--relationship", "editor=Author", "--no-key"], status: 1)
        #expect(counts == LibraryImportCounts(inserted: 1, skipped: 1, createdRelated: 1))
        #expect(try file.rows("Author", ["name"]) == [["Bob"]])
    }
}
