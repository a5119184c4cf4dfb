import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import Testing

/// References and pairs of rows that Core Data stores have before a save.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct CoreDataWritingReferenceTests {
    private typealias Writing = CoreDataWritingTests
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func copy(_ path: String) throws -> URL { try SampleStore.copy(path, to: directory) }

    @Test func `an object with a dangling reference can be saved, and a new one is refused`() throws {
        let store = try copy(Writing.cars)
        try SampleStore.execute("UPDATE ZCAR SET ZOWNER = 9999 WHERE Z_PK = 1", in: store)
        let context = try Writing.open(store).newContext()
        let cars = try Writing.objects("Car", context)
        let car = try #require(cars.first { $0.objectID.primaryKey == 1 })
        car["maker"] = .text("new")
        try context.save()
        let row = "SELECT ZMAKER, ZOWNER, Z_OPT FROM ZCAR WHERE Z_PK = 1"
        #expect(try Writing.rows(row, in: store) == ["new 9999 2"])
        // The rows of both destinations are deleted meanwhile.
        let person = try #require(try Writing.objects("Person", context).first)
        let key = try #require(person.objectID.primaryKey)
        let other = try #require(cars.first { $0.objectID.primaryKey == 2 })
        try other.setRelatedObject(person, forRelationship: "owner")
        try SampleStore.execute(
            "UPDATE ZCAR SET ZOWNER = NULL WHERE ZOWNER = \(key); DELETE FROM ZPERSON WHERE Z_PK = \(key)",
            in: store)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(
            error?.code == .conflict && error?.message.contains("\(other.objectID)") == true,
            "\(error.debugDescription)")
        #expect(error?.objectID == other.objectID)
        let second = try Writing.open(store).newContext()
        let again = try #require(try second.existingObject(with: other.objectID) as ManagedObject?)
        let owner = try #require(try Writing.objects("Person", second).first)
        try again.setRelatedObject(owner, forRelationship: "owner")
        try second.save()
        #expect(
            try Writing.rows("SELECT ZOWNER FROM ZCAR WHERE Z_PK = 2", in: store)
                == ["\(owner.objectID.primaryKey ?? 0)"])
    }

    @Test func `pairs whose positions a save renumbers count as changes of both ends`() throws {
        let store = try copy(Writing.photos)
        try SampleStore.execute(Writing.withoutHistory, in: store)
        let context = try Writing.open(store).newContext()
        let album = try Writing.insert("Album", in: context)
        let assets = try (0..<3).map { _ in try Writing.insert("Asset", in: context) }
        try album.setRelatedObjects(assets, forRelationship: "assets")
        try context.save()
        let positions = "SELECT Z_FOK_3ASSETS FROM Z_28ASSETS ORDER BY 1"
        #expect(try Writing.rows(positions, in: store) == ["2048", "3072", "4096"])
        try SampleStore.execute("UPDATE Z_28ASSETS SET Z_FOK_3ASSETS = 5", in: store)
        let before = try StoreChecker.snapshot(of: store, to: directory, "before.sqlite")
        let second = try Writing.open(store).newContext()
        let asset = try Writing.insert("Asset", in: second)
        let same = try #require(try second.existingObject(with: album.objectID) as ManagedObject?)
        try asset.setRelatedObjects([same], forRelationship: "albums")
        try second.save()
        #expect(Set(try Writing.rows(positions, in: store)).count == 4)
        let faults = try StoreChecker.faults(from: before, to: store)
        #expect(faults.isEmpty, "\(faults)")
    }
}
