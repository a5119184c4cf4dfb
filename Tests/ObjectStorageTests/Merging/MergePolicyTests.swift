import Foundation
import ObjectStorage
import Testing

/// A work that one context changes while another context changes or deletes it.
@Suite struct MergePolicyTests {
    let library: Library
    let context: ManagedObjectContext
    let work: Work

    init() throws {
        library = try Library()
        context = library.container.newContext()
        work = try library.insertWork("read", pages: 1, in: context)
    }

    private func changeElsewhere(_ change: (Work, ManagedObjectContext) throws -> Void) throws {
        let other = library.container.newContext()
        try change(try #require(other.existingObject(with: work.objectID) as? Work), other)
        try other.save()
    }

    /// Returns the title and the number of pages of each work in the store.
    private func stored() throws -> [String] {
        try library.container.newContext().fetch(FetchRequest<Work>()).map { "\($0.title) \($0.pages)" }
    }

    @Test func `the error lists every conflict with the value read, the store's and the context's`() throws {
        let second = Work(context: context)
        try context.save()
        try changeElsewhere { same, other in
            same.title = "there"
            same.pages = 2
            other.delete(try other.object(with: second.objectID))
        }
        work.title = "here"
        work.pages = 2
        second.year = 1900
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .conflict)
        #expect(error?.conflicts.map(\.kind) == [.changed, .deletedInStore])
        #expect(error?.conflicts.map(\.objectID) == [work.objectID, second.objectID])
        let title = try #require(error?.conflicts.first?.properties.first)
        // Both contexts set pages to 2, possibly by incrementing it.
        #expect(error?.conflicts.first?.properties.map(\.name) == ["title", "pages"])
        #expect(title.name == "title")
        #expect(title.valueRead == "read")
        #expect(title.valueInStore == "there")
        #expect(title.valueInContext == "here")
        #expect(error?.conflicts.last?.properties.first?.valueInStore == nil)
        #expect(error?.message.contains("“there” in the store") == true)
        #expect(work.title == "here")
        #expect(try stored() == ["there 2"])
    }

    @Test(arguments: [
        (MergePolicy.storeWins, "there 2"), (.contextWins, "here 1"),
        (.propertyByProperty(.store), "there 2"), (.propertyByProperty(.context), "here 2"),
    ])
    func `a property changed on both sides takes the winner's value`(
        policy: MergePolicy, result: String
    ) throws {
        try changeElsewhere { same, _ in
            same.title = "there"
            same.pages = 2
        }
        work.title = "here"
        context.mergePolicy = policy
        try context.save()
        #expect(try stored() == [result])
        #expect("\(work.title) \(work.pages)" == result)
        #expect(!context.hasChanges)
    }

    @Test(
        arguments: [
            (MergePolicy.storeWins, nil), (.contextWins, 7),
            (.propertyByProperty(.store), 7), (.propertyByProperty(.context), 7),
        ] as [(MergePolicy, Int32?)])
    func `changes of properties that the store did not touch are lost only if the store wins`(
        policy: MergePolicy, year: Int32?
    ) throws {
        try changeElsewhere { same, _ in same.title = "there" }
        work.title = "here"
        work.year = 7
        context.mergePolicy = policy
        try context.save()
        #expect(try library.container.newContext().fetch(FetchRequest<Work>()).first?.year == year)
        #expect(work.year == year)
    }

    @Test(arguments: [
        (MergePolicy.storeWins, []), (.contextWins, ["here 1"]), (.propertyByProperty(.store), []),
        (.propertyByProperty(.context), ["here 1"]),
    ])
    func `an object changed here and deleted elsewhere is deleted or inserted again, by the policy`(
        policy: MergePolicy, result: [String]
    ) throws {
        let key = work.objectID.primaryKey
        try changeElsewhere { same, other in other.delete(same) }
        work.title = "here"
        context.mergePolicy = policy
        try context.save()
        #expect(try stored() == result)
        #expect(work.isDeleted == result.isEmpty)
        #expect(work.objectID.primaryKey == key)
        if !result.isEmpty {
            work.title = "again"
            try context.save()
            #expect(try stored() == ["again 1"])
        }
    }

    @Test(arguments: [
        (MergePolicy.storeWins, ["there 1"]), (.contextWins, []),
        (.propertyByProperty(.store), ["there 1"]), (.propertyByProperty(.context), []),
    ])
    func `an object deleted here and changed elsewhere is deleted or restored, by the policy`(
        policy: MergePolicy, result: [String]
    ) throws {
        try changeElsewhere { same, _ in same.title = "there" }
        context.delete(work)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.conflicts.map(\.kind) == [.deletedInContext])
        context.mergePolicy = policy
        try context.save()
        #expect(try stored() == result)
        #expect(work.isDeleted == result.isEmpty)
        if !result.isEmpty { #expect(work.title == "there") }
    }

    @Test(arguments: [MergePolicy.error, .storeWins, .contextWins])
    func `an object that both contexts delete is no conflict`(policy: MergePolicy) throws {
        try changeElsewhere { same, other in other.delete(same) }
        context.mergePolicy = policy
        context.delete(work)
        try context.save()
        #expect(try stored() == [])
    }

    @Test func `a row that is inserted again does not refer to a deleted row`() throws {
        let author = Author(context: context)
        author.name = "A"
        work.author = author
        try context.save()
        try changeElsewhere { same, other in
            other.delete(try #require(same.author))
            other.delete(same)
        }
        work.title = "here"
        context.mergePolicy = .contextWins
        try context.save()
        #expect(try stored() == ["here 1"])
        #expect(work.author == nil)
    }

    @Test func `a fetch shows unsaved changes that are in conflict`() throws {
        try changeElsewhere { same, _ in same.title = "there" }
        work.title = "here"
        #expect(try context.fetch(FetchRequest<Work>(predicate: \.title == "here")) == [work])
        #expect(try context.count(for: FetchRequest<Work>(predicate: \.title == "there")) == 0)
    }

    @Test func `deleting an object together with the objects that refer to it is no conflict`() throws {
        let author = Author(context: context)
        author.name = "A"
        work.author = author
        try context.save()
        let other = library.container.newContext()
        let works = try other.fetch(FetchRequest<Work>())
        for author in try other.fetch(FetchRequest<Author>()) { other.delete(author) }
        for work in works { other.delete(work) }
        try other.save()
        #expect(try stored() == [])
    }
}
