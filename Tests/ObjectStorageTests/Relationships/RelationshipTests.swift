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

@Suite struct RelationshipTests {
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

    @Test func `a fetch includes the effects of a deletion on objects that were never loaded`() throws {
        let library = try Library()
        let writing = library.container.newContext()
        for name in ["A", "B"] {
            let author = Author(context: writing)
            author.name = name
            for _ in 0..<2 { Work(context: writing).author = author }
        }
        try writing.save()
        let context = library.container.newContext()
        context.delete(try #require(try context.fetch(FetchRequest<Author>(predicate: \.name == "A")).first))
        let orphans = try FetchRequest<Work>(predicate: .init(format: "author == nil"))
        #expect(try context.count(for: orphans) == 2)
        #expect(try context.count(for: FetchRequest<Work>(predicate: .init(format: "author != nil"))) == 2)
        context.rollback()
        #expect(try context.count(for: orphans) == 0)
    }

    @Test func `deleting an unsaved object cascades, and an undo restores all objects`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Folder.self))
        let context = container.newContext()
        let saved = Folder(context: context)
        saved.name = "saved"
        try context.save()
        context.undoManager = ManagedObjectContext.UndoManager()
        let (top, middle, leaf) = (
            Folder(context: context), Folder(context: context), Folder(context: context)
        )
        for (folder, name) in [(top, "top"), (middle, "middle"), (leaf, "leaf")] { folder.name = name }
        middle.parent = top
        leaf.parent = middle
        saved.parent = middle
        try context.processPendingChanges()
        context.delete(top)
        #expect([top, middle, leaf, saved].allSatisfy { $0.isDeleted })
        try context.processPendingChanges()
        try context.undo()
        #expect(leaf.parent === middle && middle.parent === top && saved.parent === middle)
        context.delete(top)
        try context.save()
        #expect(try container.newContext().count(for: FetchRequest<Folder>()) == 0)
    }

    @Test func `a fetch includes cascades, and a deny rule applies only to the save`() throws {
        let model = """
            [{"name": "Shop", "relationships": [
                {"name": "goods", "destinationEntityName": "Goods", "isToMany": true, "deleteRule": "cascade"},
                {"name": "people", "destinationEntityName": "Person", "isToMany": true, "deleteRule": "deny"}]},
             {"name": "Goods", "relationships": [
                {"name": "shop", "destinationEntityName": "Shop", "inverseName": "goods"},
                {"name": "labels", "destinationEntityName": "Label", "isToMany": true, "deleteRule": "cascade"}]},
             {"name": "Label", "relationships": [{"name": "goods", "destinationEntityName": "Goods", "inverseName": "labels"}]},
             {"name": "Person", "relationships": [{"name": "shop", "destinationEntityName": "Shop", "inverseName": "people"}]}]
            """
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(jsonText: model))
        let writing = container.newContext()
        for _ in 0..<2 {
            let shop = try writing.insert(entityNamed: "Shop")
            let goods = try writing.insert(entityNamed: "Goods")
            try goods.setRelatedObject(shop, forRelationship: "shop")
            try writing.insert(entityNamed: "Label").setRelatedObject(goods, forRelationship: "goods")
            try writing.insert(entityNamed: "Person").setRelatedObject(shop, forRelationship: "shop")
        }
        try writing.save()
        let context = container.newContext()
        func all(_ name: String) -> FetchRequest<ManagedObject> { FetchRequest(entityName: name) }
        context.delete(try context.fetch(all("Shop"))[0])
        #expect(try context.count(for: all("Label")) == 1)
        let people = try context.fetch(all("Person"))
        #expect(people.count == 2)
        #expect(throws: ObjectStorageError.self) { try context.save() }
        for person in people { try person.setRelatedObject(nil, forRelationship: "shop") }
        try context.save()
        #expect(try container.newContext().count(for: all("Goods")) == 1)
    }

    @Test func `a deny rule ignores related objects that are deleted as well, in any order`() throws {
        let model = """
            [{"name": "Shop", "relationships": [
                {"name": "people", "destinationEntityName": "Person", "isToMany": true, "deleteRule": "cascade"}]},
             {"name": "Office", "relationships": [
                {"name": "people", "destinationEntityName": "Person", "isToMany": true, "deleteRule": "deny"}]},
             {"name": "Person", "relationships": [
                {"name": "shop", "destinationEntityName": "Shop", "inverseName": "people"},
                {"name": "office", "destinationEntityName": "Office", "inverseName": "people"}]}]
            """
        for isShopFirst in [true, false] {
            let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(jsonText: model))
            let context = container.newContext()
            let shop = try context.insert(entityNamed: "Shop")
            let office = try context.insert(entityNamed: "Office")
            let person = try context.insert(entityNamed: "Person")
            try person.setRelatedObject(shop, forRelationship: "shop")
            try person.setRelatedObject(office, forRelationship: "office")
            try context.save()
            context.delete(office)
            #expect(throws: ObjectStorageError.self) { try context.save() }
            context.rollback()
            for object in isShopFirst ? [shop, office] : [office, shop] { context.delete(object) }
            try context.save()
            for name in ["Shop", "Office", "Person"] {
                #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: name)) == 0)
            }
        }
    }

    @Test func `deleting an object clears the relationships to it`() throws {
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

    @Test func `deleting an object clears the relationships of rows that were never loaded`() throws {
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

    @Test func `new objects may refer to each other`() throws {
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

    @Test func `a cascade deletes the whole tree`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Folder.self))
        let context = container.newContext()
        let root = Folder(context: context)
        // Some of the tree is in memory when it is deleted, and some is not.
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
