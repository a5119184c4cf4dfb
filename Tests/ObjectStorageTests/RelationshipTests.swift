import Foundation
import ObjectStorage
import Testing

final class Folder: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: \Folder.children) var parent: Folder?
    @Relationship(deleteRule: .cascade) var children: Set<Folder>
}

final class Team: ManagedObject {
    @Relationship(deleteRule: .deny) var members: Set<Member>
}

final class Member: ManagedObject {
    @Relationship(inverse: \Team.members) var team: Team?
}

@Suite struct `Relationships` {
    @Test func `both sides of an unsaved relationship agree`() throws {
        let library = try Library()
        let context = library.container.newContext()
        let author = Author(context: context)
        author.name = "A"
        let first = Work(context: context)
        let second = Work(context: context)
        first.author = author
        author.works.insert(second)
        #expect(second.author === author)
        #expect(author.works == [first, second])
        author.works = [second]
        #expect(first.author == nil)
        try context.save()
        #expect(author.works == [second])
        second.author = nil
        #expect(author.works.isEmpty)
    }

    @Test func `deleting an object makes those that lead to it lead nowhere`() throws {
        let library = try Library()
        let context = library.container.newContext()
        let author = Author(context: context)
        author.name = "A"
        let work = Work(context: context)
        work.author = author
        try context.save()
        context.delete(author)
        #expect(work.author == nil)
        try context.save()
        context.refreshAllObjects()
        #expect(work.author == nil)
        #expect(
            try library.container.newContext().count(for: FetchRequest<Work>(predicate: .isNil(\.author)))
                == 1)
    }

    @Test func `a row that nobody loaded forgets a deleted object too`() throws {
        let library = try Library()
        var context = library.container.newContext()
        let author = Author(context: context)
        author.name = "A"
        for _ in 0..<3 { Work(context: context).author = author }
        try context.save()
        context = library.container.newContext()
        context.delete(try #require(try context.fetch(FetchRequest<Author>()).first))
        try context.save()
        #expect(try context.count(for: FetchRequest<Work>(predicate: .isNil(\.author))) == 3)
    }

    @Test func `new objects may lead to each other`() throws {
        let model = try ManagedObjectModel(types: Folder.self)
        let container = try PersistentContainer(inMemoryWith: model)
        let context = container.newContext()
        let first = Folder(context: context)
        let second = Folder(context: context)
        first.parent = second
        second.parent = first
        try context.save()
        context.refreshAllObjects()
        #expect(first.parent === second)
        #expect(second.parent === first)
    }

    @Test func `cascading deletes the whole tree`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Folder.self))
        let context = container.newContext()
        let root = Folder(context: context)
        // Some of the tree is in memory when it is deleted, some is not.
        var loaded: [Folder] = []
        for number in 0..<3 {
            let child = Folder(context: context)
            child.parent = root
            let grandchild = Folder(context: context)
            grandchild.parent = child
            if number > 0 { loaded += [child, grandchild] }
        }
        let other = Folder(context: context)
        try context.save()
        context.delete(root)
        try context.save()
        #expect(try context.fetch(FetchRequest<Folder>()) == [other])
        #expect(loaded.allSatisfy { $0.isDeleted })
    }

    @Test func `a denied deletion names the relationship`() throws {
        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Team.self, Member.self))
        let context = container.newContext()
        let team = Team(context: context)
        let member = Member(context: context)
        member.team = team
        try context.save()
        context.delete(team)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .deletionDenied)
        #expect(error?.propertyName == "members")
        context.delete(member)
        try context.save()
        #expect(try context.count(for: FetchRequest<Team>()) == 0)
    }
}
