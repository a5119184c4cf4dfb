import Foundation
import ObjectStorage
import Testing

private final class Album: ManagedObject {
    @Attribute var title: String = ""
    @Relationship(deleteRule: .cascade) var tracks: Set<AlbumTrack>
    @Relationship(deleteRule: .deny) var loans: Set<Loan>
    @Relationship(deleteRule: .cascade) var posters: [AlbumPoster]
    @Relationship(deleteRule: .cascade) var labels: Set<AlbumLabel>
    /// Called during a save, after the delete rules were applied.
    nonisolated(unsafe) static var beforeWriting: (() throws -> Void)?

    override func validateForDelete() throws(ObjectStorageError) {
        let body = Self.beforeWriting
        Self.beforeWriting = nil
        do { try body?() } catch { throw ObjectStorageError(.database, "\(error)") }
    }
}

private final class AlbumTrack: ManagedObject {
    @Attribute var number: Int64 = 0
    @Relationship(inverse: \Album.tracks) var album: Album?
}

private final class AlbumPoster: ManagedObject {
    @Attribute var size: Int64 = 0
    @Relationship(inverse: \Album.posters) var album: Album?
}

private final class AlbumLabel: ManagedObject {
    @Attribute var word: String = ""
    @Relationship(inverse: \Album.labels) var albums: Set<Album>
}

private final class Loan: ManagedObject {
    @Attribute(details: .init(rules: [.minimum(2)])) var reader: String = "xx"
    @Relationship(inverse: \Album.loans) var album: Album?
}

private final class Shop: ManagedObject {
    @Attribute var name: String = ""
    @Relationship var clerks: Set<Clerk>
}

private final class Clerk: ManagedObject {
    @Attribute(details: .init(rules: [.minimum(2)])) var nick: String = "xx"
    @Relationship(inverse: \Shop.clerks, details: .init(isOptional: false)) var shop: Shop?
}

/// Rows that delete rules reach although no context has read them.
@Suite(.serialized) struct LateRowTests {
    private let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(
            ManagedObjectModel(
                types: Album.self, AlbumTrack.self, AlbumPoster.self, AlbumLabel.self, Loan.self, Shop.self,
                Clerk.self))
    }

    private func album() throws -> (context: ManagedObjectContext, album: Album) {
        let context = library.container.newContext()
        let album = Album(context: context)
        for number in 0..<3 {
            let track = AlbumTrack(context: context)
            (track.number, track.album) = (Int64(number), album)
        }
        try context.save()
        return (context, album)
    }

    /// The kinds of relationships that a delete rule follows.
    enum Kind: CaseIterable { case column, ordered, links }

    @Test(arguments: Kind.allCases)
    func `a row that is inserted while a save begins is deleted by the delete rule`(kind: Kind) throws {
        let (context, album) = try album()
        context.delete(album)
        let (container, objectID) = (library.other, album.objectID)
        Album.beforeWriting = {
            let other = container.newContext()
            let album = try #require(try other.existingObject(with: objectID) as? Album)
            switch kind {
            case .column: AlbumTrack(context: other).album = album
            case .ordered: album.posters.append(AlbumPoster(context: other))
            case .links: AlbumLabel(context: other).albums = [album]
            }
            try other.save()
        }
        try context.save()
        #expect(Album.beforeWriting == nil)
        let fresh = library.other.newContext()
        #expect(try fresh.count(for: FetchRequest<AlbumTrack>()) == 0)
        #expect(try fresh.count(for: FetchRequest<AlbumPoster>()) == 0)
        #expect(try fresh.count(for: FetchRequest<AlbumLabel>()) == 0)
        #expect(try fresh.count(for: FetchRequest<Album>()) == 0)
    }

    @Test func `a row that is inserted while a save begins denies the deletion`() throws {
        let (context, album) = try album()
        context.delete(album)
        let (container, objectID) = (library.other, album.objectID)
        Album.beforeWriting = {
            let other = container.newContext()
            Loan(context: other).album = try #require(try other.existingObject(with: objectID) as? Album)
            try other.save()
        }
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .deletionDenied)
        #expect(error?.propertyName == "loans")
        let fresh = library.other.newContext()
        #expect(try fresh.count(for: FetchRequest<AlbumTrack>()) == 3)
        #expect(try fresh.count(for: FetchRequest<Loan>()) == 1)
    }

    private func shop() throws -> (context: ManagedObjectContext, shop: Shop) {
        let filling = library.container.newContext()
        let shop = Shop(context: filling)
        Clerk(context: filling).shop = shop
        try filling.save()
        let context = library.container.newContext()
        return (context, try #require(try context.fetch(FetchRequest<Shop>()).first))
    }

    @Test func `validation errors of rows in memory and of other rows are reported together`() throws {
        let (context, shop) = try shop()
        context.delete(shop)
        Clerk(context: context).nick = "x"
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        let faults = error?.faults.map {
            "\($0.entityName ?? "") \($0.propertyName ?? "") \($0.code.rawValue)"
        }
        #expect(
            faults?.sorted() == [
                "Clerk nick invalidValue", "Clerk shop missingValue", "Clerk shop missingValue",
            ])
        #expect(Set(error?.faults.compactMap(\.objectID) ?? []).count == 2)
    }

    @Test func `a child's save is refused because of a row that is not in memory`() throws {
        let (parent, shop) = try shop()
        let child = parent.newChildContext()
        child.delete(try child.existingObject(with: shop.objectID))
        let error = #expect(throws: ObjectStorageError.self) { try child.save() }
        #expect(error?.code == .missingValue)
        #expect(!parent.hasChanges)
        // With the clerk deleted as well, no rule is violated.
        for clerk in try child.fetch(FetchRequest<Clerk>()) { child.delete(clerk) }
        try child.save()
        try parent.save()
        #expect(try library.other.newContext().count(for: FetchRequest<Clerk>()) == 0)
    }
}

/// A store with two containers, which represent two programs.
private final class TemporaryLibrary {
    private let folder: URL
    let container: PersistentContainer
    let other: PersistentContainer

    init(_ model: ManagedObjectModel) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "late-rows-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: "store.sqlite")
        container = try PersistentContainer(url: url, model: model)
        other = try PersistentContainer(url: url, model: model)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
