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

/// A list of items as some view may show it.
struct ItemList: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let request: FetchRequest<Item>
    var sectionKey: SectionKey?
    /// What tells sections apart, worked out without the library.
    let identity: @Sendable (ItemContent) -> String?
    let name: @Sendable (ItemContent) -> String
    var readsMaker = false

    static let all: [ItemList] = [
        ItemList(
            testDescription: "by group",
            request: FetchRequest<Item>(sortDescriptors: [.ascending(\.group), .ascending(\.rank)]),
            sectionKey: "group", identity: \.group, name: { $0.group ?? "" }),
        ItemList(
            testDescription: "without sections, filtered, descending",
            request: FetchRequest<Item>(predicate: \.rank < 60, sortDescriptors: [.descending(\.rank)]),
            identity: { _ in nil }, name: { _ in "" }),
        ItemList(
            testDescription: "by the maker's name",
            request: FetchRequest<Item>(sortDescriptors: [.ascending("maker.name"), .ascending(\.rank)]),
            sectionKey: "maker.name", identity: \.makerName, name: { $0.makerName ?? "" }, readsMaker: true),
        ItemList(
            testDescription: "by maker, named by name",
            request: FetchRequest<Item>(sortDescriptors: [.descending("maker.name"), .ascending(\.rank)]),
            sectionKey: SectionKey("maker", namedBy: "maker.name"),
            identity: { $0.maker.map { "\($0.objectID)" } },
            name: { $0.makerName ?? "" }, readsMaker: true),
        ItemList(
            testDescription: "a window, in the order of makers",
            request: FetchRequest<Item>(
                sortDescriptors: [.ascending("maker.name"), .ascending(\.rank)], fetchLimit: 20,
                fetchOffset: 3),
            identity: { _ in nil }, name: { _ in "" }, readsMaker: true),
        ItemList(
            testDescription: "by group, filtered by the maker",
            request: FetchRequest<Item>(
                predicate: FetchRequest<Item>.Predicate(
                    .comparison(.path("maker.note"), .greaterThan, .value(.integer(0)))),
                sortDescriptors: [.descending(\.group), .descending(\.rank)]),
            sectionKey: "group", identity: \.group, name: { $0.group ?? "" }, readsMaker: true),
        ItemList(
            testDescription: "as saved, by group",
            request: FetchRequest<Item>(
                sortDescriptors: [.ascending(\.group), .ascending(\.rank)], includesPendingChanges: false),
            sectionKey: "group", identity: \.group, name: { $0.group ?? "" }),
    ]
}

/// What a row shows, and what the list reads of others.
struct ItemContent: Equatable {
    var group: String?
    var rank: Int32
    var note: Int64
    /// Held, so that it stays the same object.
    var maker: Maker?
    var makerName: String?
    var makerNote: Int64?

    init(_ item: Item, readsMaker: Bool) {
        group = item.group
        rank = item.rank
        note = item.note
        guard let maker = item.maker else { return }
        self.maker = maker
        guard readsMaker else { return }
        makerName = maker.name
        makerNote = maker.note
    }
}
