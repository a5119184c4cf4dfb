import ObjectStorage
import Testing

/// A predicate that refers to an object finds the same rows before and after the object's save.
@Suite struct UnsavedObjectTests {
    let library: Library
    let context: ManagedObjectContext
    let author: Author
    let work: Work

    init() throws {
        library = try Library()
        context = library.container.newContext()
        author = Author(context: context)
        author.name = "A"
        work = Work(context: context)
        work.title = "of A"
        work.author = author
        Work(context: context).title = "of none"
    }

    /// Predicates that choose the author's work or the other one.
    private func predicates() throws -> [(FetchRequest<Work>.Predicate, isOfAuthor: Bool)] {
        [
            (\.author == author, true), (\.author != author, false),
            (.leads("author", to: author.objectID), true),
            (try FetchRequest<Work>.Predicate(format: "author == %@", author), true),
            (try FetchRequest<Work>.Predicate(format: "author IN %@", [author.objectID]), true),
            (
                try FetchRequest<Work>.Predicate(
                    format: "SUBQUERY(author.works, $w, $w == %@).@count > 0", work), true
            ),
        ]
    }

    private func expectFound(
        _ predicates: [(FetchRequest<Work>.Predicate, isOfAuthor: Bool)], in context: ManagedObjectContext
    ) throws {
        for (predicate, isOfAuthor) in predicates {
            let title = isOfAuthor ? "of A" : "of none"
            let request = FetchRequest<Work>(predicate: predicate)
            #expect(try context.fetch(request).map(\.title) == [title], "\(predicate)")
            #expect(try context.count(for: request) == 1)
            #expect(try context.fetchIDs(request).count == 1)
            let works = try context.fetch(FetchRequest<Work>())
            #expect(try predicate.filtering(works).map(\.title) == [title], "\(predicate)")
        }
    }

    @Test func `predicates find the same rows before and after the save`() throws {
        let predicates = try predicates()
        try expectFound(predicates, in: context)
        try context.save()
        try expectFound(predicates, in: context)
        try expectFound(predicates, in: library.container.newContext())
    }

    @Test
    func `predicates find the same rows in a child and in its parents, before and after each save`() throws {
        let child = context.newChildContext()
        let grandchild = child.newChildContext()
        let own = Author(context: grandchild)
        own.name = "B"
        Work(context: grandchild).author = own
        let ofOwn = FetchRequest<Work>(predicate: \.author == own)
        let predicates = try predicates()
        for saved in [nil, grandchild, child, context] {
            try saved?.save()
            for context in [grandchild, child, context] {
                try expectFound(predicates.filter(\.isOfAuthor), in: context)
            }
            #expect(try grandchild.count(for: ofOwn) == 1)
        }
        for context in [context, child, grandchild, library.container.newContext()] {
            #expect(try context.count(for: ofOwn) == 1)
        }
    }

    @Test func `batches find the rows of an object that was saved after the predicate was made`() throws {
        let request = FetchRequest<Work>(predicate: \.author == author)
        try context.save()
        #expect(try context.batchUpdate(request, set: [.set(\.pages, to: 5)]).count == 1)
        #expect(work.pages == 5)
        #expect(try context.batchDelete(request).count == 1)
        #expect(work.isDeleted)
    }

    @Test func `an object of another context is another object`() throws {
        let other = library.container.newContext()
        let others = Author(context: other)
        others.name = "B"
        Work(context: other).author = others
        let request = FetchRequest<Work>(predicate: \.author == author)
        #expect(author.objectID != others.objectID)
        #expect(try other.count(for: request) == 0)
        try context.save()
        #expect(try other.count(for: request) == 1)
        try other.save()
        #expect(try other.fetch(request).map(\.title) == ["of A"])
    }

    @Test func `an object that is never saved has no rows`() throws {
        let predicate: FetchRequest<Work>.Predicate = \.author == author
        context.rollback()
        Author(context: context).name = "another"
        try context.save()
        #expect(try context.count(for: FetchRequest<Work>(predicate: predicate)) == 0)
        #expect(predicate.format.contains("new"))
    }

    @Test func `the format of a predicate has the key that the object has at that time`() throws {
        let predicate: FetchRequest<Work>.Predicate = \.author == author
        let before = predicate.format
        try context.save()
        let key = try #require(author.objectID.primaryKey)
        #expect(before != predicate.format)
        #expect(predicate.format == "author == object(\"Author\", \(key))")
        let parsed = try FetchRequest<Work>.Predicate(format: predicate.format)
        #expect(try context.count(for: FetchRequest<Work>(predicate: parsed)) == 1)
    }
}
