import Foundation
import ObjectStorage
import CheckSupport
import Testing

private final class Item: ManagedObject {
    @Attribute var title: String = ""
    @Relationship var box: Box?
}

private final class Box: ManagedObject {
    @Relationship(inverse: \Item.box) var items: [Item]
}

/// Objects that are still referenced after a context or another program deleted them.
struct DeletedObjectTests {
    private func expectRefusal(of item: Item, _ box: Box, sourceLocation: SourceLocation = #_sourceLocation) {
        let title = item.title
        item.title = "new"
        #expect(item.readError?.code == .objectMissing, sourceLocation: sourceLocation)
        #expect(item.title == title, sourceLocation: sourceLocation)
        item.box = box
        #expect(item.box == nil, sourceLocation: sourceLocation)
        #expect(!box.items.contains(item), sourceLocation: sourceLocation)
        for change in [
            { try item.setValue(.text("new"), forProperty: "title") },
            { try item.setRelatedObject(box, forRelationship: "box") },
        ] {
            let error = #expect(throws: ObjectStorageError.self, sourceLocation: sourceLocation) {
                try change()
            }
            #expect(error?.code == .objectMissing && error?.objectID == item.objectID)
        }
    }

    @Test func `setting a property of a deleted object is refused and does not crash`() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("items.sqlite")
        let container = try PersistentContainer(
            url: url, model: ManagedObjectModel(types: Item.self, Box.self))
        let context = container.newContext()
        let box = Box(context: context)
        let items = (0..<3).map { _ in Item(context: context) }
        try context.save()
        // Deleted by another program.
        try Library.runElsewhere("DELETE FROM Item WHERE objectID = 1", path: url.path)
        try context.mergeChangesFromStore()
        #expect(items[0].isDeleted)
        expectRefusal(of: items[0], box)
        // Deleted by this context.
        context.delete(items[1])
        expectRefusal(of: items[1], box)
        try context.save()
        expectRefusal(of: items[1], box)
        // Deleted because a rollback discards its insertion.
        let unsaved = Item(context: context)
        context.rollback()
        expectRefusal(of: unsaved, box)
        context.delete(box)
        box.items = [items[2]]
        #expect(box.readError?.code == .objectMissing && items[2].box == nil)
        try context.save()
        #expect(try context.fetch(FetchRequest<Item>()).map(\.objectID) == [items[2].objectID])
    }
}
