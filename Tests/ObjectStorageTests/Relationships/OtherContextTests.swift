import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Relationships that are set to objects of other contexts: nothing is written, and the save throws an error.
@Suite struct OtherContextTests {
    private let directory: TemporaryDirectory
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let other: ManagedObjectContext

    init() throws {
        directory = try TemporaryDirectory()
        container = try PersistentContainer(
            url: directory.file("library.sqlite"), model: ManagedObjectModel(types: Work.self, Author.self))
        (context, other) = (container.newContext(), container.newContext())
        let author = Author(context: context)
        author.name = "Ann"
        let work = Work(context: context)
        (work.title, work.author) = ("first", author)
        Work(context: context).title = "second"
        try context.save()
    }

    private func work(_ title: String, _ context: ManagedObjectContext) throws -> Work {
        try #require(context.fetch(FetchRequest<Work>(predicate: \.title == title)).first)
    }

    private func author(_ context: ManagedObjectContext) throws -> Author {
        try #require(context.fetch(FetchRequest<Author>()).first)
    }

    /// Returns the author of a work as the store has it.
    private func storedAuthor(_ title: String) throws -> String? {
        let reader = container.newContext()
        return try withExtendedLifetime(reader) { try work(title, reader).author?.name }
    }

    /// Returns the code of the error that a closure throws.
    private func code(_ body: () throws -> Void) -> ObjectStorageError.Code? {
        do { try body() } catch { return (error as? ObjectStorageError)?.code }
        return nil
    }

    @Test func `a to-one property keeps its value, and the save throws the reason`() throws {
        let (work, foreign) = (try work("second", context), try author(other))
        work.author = foreign
        #expect(work.author == nil && work.readError?.code == .wrongContext)
        work.title = "renamed"
        let error = try #require(throws: ObjectStorageError.self) { try context.save() }
        #expect(error.code == .wrongContext && error.propertyName == "author")
        #expect(error.objectID == work.objectID && error.message.contains("\(foreign.objectID)"))
        #expect(try storedAuthor("second") == nil)
        work.author = try author(context)
        #expect(work.readError == nil)
        try context.save()
        #expect(try storedAuthor("renamed") == "Ann")
    }

    @Test func `a save without other changes throws as well, until the context is rolled back`() throws {
        try work("first", context).author = author(other)
        #expect(try work("first", context).author?.name == "Ann" && context.hasChanges)
        #expect(code { _ = try context.save() } == .wrongContext)
        context.rollback()
        #expect(try !context.hasChanges && work("first", context).readError == nil)
        try context.save()
        #expect(try storedAuthor("first") == "Ann")
    }

    @Test func `a to-many property and several objects are refused together`() throws {
        let author = try author(context)
        let foreign = try work("second", other)
        author.works = [foreign]
        try work("second", context).author = self.author(other)
        #expect(author.works.map(\.title) == ["first"] && author.readError?.code == .wrongContext)
        let error = try #require(throws: ObjectStorageError.self) { try context.save() }
        #expect(error.faults.count == 2 && error.faults.allSatisfy { $0.code == .wrongContext })
        author.works = [try work("first", context), try work("second", context)]
        try work("second", context).author = author
        try context.save()
        #expect(try storedAuthor("second") == "Ann")
    }

    @Test func `unsaved objects, objects of a parent and objects without a context are refused`() throws {
        let unsaved = Author(context: other)
        unsaved.name = "new"
        let child = context.newChildContext()
        let parents = try author(context)
        let without: Author = try {
            let gone = container.newContext()
            return try author(gone)
        }()
        for (work, foreign) in [
            (try work("second", context), unsaved), (try work("second", child), parents),
            (try work("second", context), without),
        ] {
            work.author = foreign
            #expect(work.author == nil && work.readError?.code == .wrongContext)
            #expect(code { _ = try work.managedObjectContext?.save() } == .wrongContext)
            work.author = nil
            try work.managedObjectContext?.save()
        }
    }

    @Test func `an object that was deleted after a refused assignment does not prevent the save`() throws {
        let work = try work("second", context)
        work.author = try author(other)
        context.delete(work)
        try context.save()
        #expect(try container.newContext().count(for: FetchRequest<Work>()) == 1)
    }
}
