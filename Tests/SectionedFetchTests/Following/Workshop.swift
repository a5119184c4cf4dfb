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

/// A store of items and their makers for one test.
final class Workshop: TemporaryStore {
    init(options: StoreOptions = StoreOptions()) throws {
        try super.init(ManagedObjectModel(types: Item.self, Maker.self), options: options)
    }

    /// Returns a controller of items, by default sorted by group and rank with a section for each group.
    func controller(
        _ request: FetchRequest<Item>? = nil, by key: SectionKey? = "group", cacheName: CacheName? = nil,
        in context: ManagedObjectContext
    ) throws -> FetchedResultsController<Item> {
        let byGroup = FetchRequest<Item>(sortDescriptors: [.ascending(\.group), .ascending(\.rank)])
        return try FetchedResultsController(
            fetchRequest: request ?? byGroup, context: context, sectionNameKeyPath: key, cacheName: cacheName,
            cacheStore: caches)
    }
}

extension Workshop {
    /// Saves two makers, two items of the first in group a, and one item of the second in group b.
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

    /// Saves items with these ranks and without a group.
    @discardableResult
    func insert(_ ranks: some Sequence<Int32>, in context: ManagedObjectContext) throws -> [Item] {
        let items = ranks.map { rank in
            let item = Item(context: context)
            item.rank = rank
            return item
        }
        try context.save()
        return items
    }
}

extension FetchRequest<Item> {
    /// All items by rank.
    static var byRank: Self { Self(sortDescriptors: [.ascending(\.rank)]) }
}
