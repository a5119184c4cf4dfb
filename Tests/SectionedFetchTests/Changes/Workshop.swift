import Foundation
import SectionedFetch
import Testing

final class Maker: ManagedObject {
    @Attribute(.unique) var name: String = ""
    @Attribute var note: Int64 = 0
    @Relationship var items: Set<Item>
}

final class Item: ManagedObject {
    @Attribute var group: String?
    @Attribute var rank: Int32 = 0
    @Attribute var note: Int64 = 0
    @Relationship(inverse: \Maker.items) var maker: Maker?
}

/// A store of items and their makers for one test, removed with it.
final class Workshop {
    let url: URL
    let container: PersistentContainer
    let caches: SectionCacheStore

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sectioned-fetch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        container = try PersistentContainer(
            url: url.appending(path: "store.sqlite"),
            model: ManagedObjectModel(types: Item.self, Maker.self))
        caches = SectionCacheStore(directory: url.appending(path: "caches"))
    }

    deinit {
        caches.waitForSaves()
        try? FileManager.default.removeItem(at: url)
    }
}

extension Workshop {
    /// Two makers, two items of the first in group a and one of the second in group b, saved.
    func fill(_ context: ManagedObjectContext) throws -> (items: [Item], makers: [Maker]) {
        let makers = ["Ada", "Bob"].map { name in
            let maker = Maker(context: context)
            maker.name = name
            return maker
        }
        let items = [("a", 1 as Int32), ("a", 2), ("b", 3)].map { group, rank in
            let item = Item(context: context)
            item.group = group
            item.rank = rank
            item.maker = makers[rank == 3 ? 1 : 0]
            return item
        }
        try context.save()
        return (items, makers)
    }
}
