import Foundation
import ObjectStorage
import Testing

@Suite struct ExistingTableMergingTests {
    let chinook: Chinook

    init() throws { chinook = try Chinook() }

    private func artists(_ context: ManagedObjectContext) throws -> [ChinookArtist] {
        try context.fetch(FetchRequest<ChinookArtist>(sortDescriptors: [.ascending("objectID")]))
    }

    @Test(arguments: bothWays)
    func `changes of another program are merged on request`(way: StoreOptions.ExistingTables) throws {
        let context = try chinook.open(way).newContext()
        let artists = try artists(context)
        try context.mergeChangesFromStore()
        try chinook.sqlite(
            "UPDATE artists SET Name = 'A' WHERE ArtistId = 1; DELETE FROM albums; DELETE FROM artists WHERE ArtistId = 7"
        )
        let changes = try context.mergeChangesFromStore()
        #expect(artists[0].name == "A")
        #expect(artists[3].isDeleted)
        #expect(changes.deletedObjectIDs == [artists[3].objectID])
        // Tracked tables without changes are known to be unchanged; for untracked tables this is unknown.
        #expect(
            changes.changedEntityNames
                == (way == .tracked ? ["Artist", "Album"] : ["Artist", "Album", "Track", "Playlist"]))
        #expect(try context.mergeChangesFromStore().changedEntityNames.isSuperset(of: ["Artist"]))
        artists[0].name = "B"
        try context.save()
        // The save stamped the tables that the other program had changed.
        try context.mergeChangesFromStore()
        #expect(try context.mergeChangesFromStore().changedEntityNames.isEmpty == (way == .tracked))
    }

    @Test(arguments: bothWays)
    func `saves and batches reach other contexts of the container`(way: StoreOptions.ExistingTables) throws {
        let container = try chinook.open(way)
        let (context, other) = (container.newContext(), container.newContext())
        other.automaticallyMergesChanges = true
        let mine = try artists(context)
        let theirs = try artists(other)
        mine[0].name = "saved"
        let changes = try context.save()
        #expect(changes.updatedObjectIDs == [mine[0].objectID])
        #expect(changes.changedEntityNames == [])
        try other.mergePendingChanges()
        #expect(theirs[0].name == "saved")
        try context.batchUpdate(
            FetchRequest<ChinookArtist>(predicate: \.name == "Accept"), set: [.set(\.name, to: "batch")])
        #expect(mine[1].name == "batch")
        try other.mergePendingChanges()
        #expect(theirs[1].name == "batch")
        try container.write { writer in _ = try writer.table("Artist").upsert(["batch"], keyColumn: 0) }
        try container.write { writer in _ = try writer.table("Artist").insert(["written"]) }
        #expect(try artists(other).map(\.name) == ["saved", "batch", "accept", "Björk", "written"])
    }

    @Test(arguments: bothWays)
    func `fetches include unsaved changes, and child contexts save to their parents`(
        way: StoreOptions.ExistingTables
    ) throws {
        let context = try chinook.open(way).newContext()
        let before = try chinook.sqlite("SELECT * FROM artists")
        let artists = try artists(context)
        artists[0].name = "Zappa"
        context.delete(artists[1])
        let child = context.newChildContext()
        let new = ChinookArtist(context: child)
        new.name = "Björk"
        #expect(
            try child.fetch(FetchRequest<ChinookArtist>(sortDescriptors: [.ascending(\.name)])).map(\.name)
                == ["Björk", "Björk", "Zappa", "accept"])
        try child.save()
        #expect(try context.count(for: FetchRequest<ChinookArtist>(predicate: \.name == "Björk")) == 2)
        #expect(try chinook.sqlite("SELECT * FROM artists") == before)
        try context.save()
        #expect(new.objectID.primaryKey == 8)
        #expect(
            try chinook.sqlite("SELECT group_concat(Name) FROM artists") == "Zappa,accept,Björk,Björk")
    }

    @Test(arguments: bothWays)
    func `two contexts that change the same row conflict`(way: StoreOptions.ExistingTables) throws {
        let container = try chinook.open(way)
        let (context, other) = (container.newContext(), container.newContext())
        let mine = try artists(context)[1]
        let theirs = try artists(other)[1]
        mine.name = "mine"
        // The column is NOCASE, but this is a different value.
        theirs.name = "ACCEPT"
        try other.save()
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .conflict)
        context.mergePolicy = .contextWins
        try context.save()
        #expect(try chinook.sqlite("SELECT Name FROM artists WHERE ArtistId = 2") == "mine")
    }

    @Test func `own and mapped entities refer to each other in a tracked store`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Artist", attributes: [AttributeDescription(name: "name", type: .string)],
                relationships: [.toMany("remarks", to: "Remark", inverse: "artist", isOrdered: true)],
                existingTable: ExistingTable(name: "artists", primaryKey: "ArtistId")),
            EntityDescription(
                name: "Remark", attributes: [AttributeDescription(name: "text", type: .string)],
                relationships: [
                    .toOne("artist", to: "Artist", inverse: "remarks"), .toMany("about", to: "Artist"),
                ]),
        ])
        let container = try PersistentContainer(
            url: chinook.url, model: model, options: StoreOptions(existingTables: .tracked))
        let context = container.newContext()
        let artist = try context.object(with: ObjectID(entityName: "Artist", primaryKey: 7))
        let remarks = try (0..<3).map { number in
            let remark = try context.insert(entityNamed: "Remark")
            remark["text"] = .text("\(number)")
            try remark.setRelatedObjects([artist], forRelationship: "about")
            return remark
        }
        try artist.setRelatedObjects(remarks.reversed(), forRelationship: "remarks")
        try context.save()
        let other = container.newContext()
        let same = try other.object(with: artist.objectID)
        #expect(try same.relatedObjects("remarks").map { $0["text"] } == ["2", "1", "0"])
        // No foreign key of the library constrains the external table.
        #expect(
            try chinook.sqlite(
                "SELECT sql FROM sqlite_schema WHERE sql LIKE '%REFERENCES%artists%' AND name GLOB '*emark*'")
                == "")
        context.delete(artist)
        try context.save()
        #expect(try chinook.sqlite("SELECT count(artist), count(*) FROM Remark") == "0|3")
        #expect(try chinook.sqlite("SELECT count(*) FROM \"Remark.about\"") == "0")
        #expect(try remarks[0].relatedObject("artist") == nil)
    }
}
