import Foundation
import ObjectStorage
import CheckSupport
import Testing

private final class Photo: ManagedObject {
    @Attribute var name: String = ""
    @Attribute(.externalStorage) var image: Data?
    @Transformable(.externalStorage) var words: [String] = []
}

@Suite final class ExternalStorageTests {
    private let directory: TemporaryDirectory
    private let url: URL
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private var contexts: [ManagedObjectContext] = []

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.file("photos.sqlite")
        container = try PersistentContainer(url: url, model: ManagedObjectModel(types: Photo.self))
        context = container.newContext()
    }

    private func bytes(_ count: Int, _ value: UInt8 = 7) -> Data { Data(repeating: value, count: count) }

    @discardableResult
    private func insert(_ name: String, _ image: Data?) -> Photo {
        let photo = Photo(context: context)
        photo.name = name
        photo.image = image
        return photo
    }

    private func newContext() -> ManagedObjectContext {
        contexts.append(container.newContext())
        return contexts[contexts.count - 1]
    }

    private func photo(_ name: String, in context: ManagedObjectContext) throws -> Photo {
        try #require(try context.fetch(FetchRequest<Photo>(predicate: \.name == name)).first)
    }

    /// Returns the rows as another program sees them: the storage class of each image, and the number of
    /// values that are kept out of their rows.
    private func stored() throws -> (classes: [String], count: Int) {
        let output = try Library.output(
            of:
                "SELECT typeof(image) FROM Photo ORDER BY objectID; SELECT count(*) FROM sc_data;",
            path: url.path)
        var lines = output.split(separator: "\n").map(String.init)
        let count = Int(lines.removeLast()) ?? -1
        return (lines, count)
    }

    @Test
    func `large values are kept out of the row, small ones in it, and both are read the same way`() throws {
        insert("none", nil)
        insert("small", bytes(16_383))
        let large = insert("large", bytes(16_384))
        large.words = Array(repeating: "word", count: 5_000)
        try context.save()
        #expect(try stored().classes == ["null", "blob", "integer"])
        #expect(try stored().count == 2)
        let other = newContext()
        let read = try photo("large", in: other)
        #expect(read.image == bytes(16_384) && read.words.count == 5_000 && read.readError == nil)
        #expect(try read.value(forProperty: "image") == .blob(Array(bytes(16_384))))
        #expect(try photo("small", in: other).image == bytes(16_383))
        #expect(try photo("none", in: other).image == nil)
        // The saved object still has its value, and setting the value again changes nothing.
        #expect(large.image == bytes(16_384))
        large.image = bytes(16_384)
        #expect(!large.hasChanges)
    }

    @Test func `requests, dictionaries and conditions in memory see values in and out of the row`() throws {
        let large = insert("large", bytes(20_000, 1))
        let small = insert("small", bytes(10, 1))
        try context.save()
        for (photo, image) in [(large, bytes(20_000, 1)), (small, bytes(10, 1))] {
            let request = FetchRequest<Photo>(predicate: \.image == image)
            #expect(try context.fetch(request).map(\.name) == [photo.name])
            #expect(try #require(request.predicate).evaluate(with: photo))
        }
        let rows = try context.fetchDictionaries(FetchRequest<Photo>(sortDescriptors: [.ascending("name")]))
        #expect(rows.map { $0["image"] } == [.blob(Array(bytes(20_000, 1))), .blob(Array(bytes(10, 1)))])
    }

    @Test func `no external value remains after its row's value was replaced or deleted`() throws {
        for name in ["a", "b", "c", "d", "e", "f"] { insert(name, bytes(30_000)) }
        try context.save()
        #expect(try stored().count == 6)
        try photo("a", in: context).image = bytes(40_000)
        try photo("b", in: context).image = bytes(1)
        context.delete(try photo("c", in: context))
        try context.save()
        #expect(try stored().count == 4)
        try context.batchDelete(FetchRequest<Photo>(predicate: \.name == "d"))
        #expect(try stored().count == 3)
        try context.batchUpdate(
            FetchRequest<Photo>(predicate: \.name == "e"), set: [.set(\.image, to: bytes(50_000))])
        #expect(try stored().count == 2)
        try Library.runElsewhere(
            "UPDATE Photo SET image = NULL WHERE name = 'f'; DELETE FROM Photo WHERE name = 'b'",
            path: url.path)
        #expect(try stored().count == 1)
        let other = newContext()
        #expect(try photo("a", in: other).image == bytes(40_000))
        #expect(try photo("e", in: other).image == bytes(50_000))
    }

    @Test
    func `a value that another context replaced is a read error that names it, until a refresh`() throws {
        insert("a", bytes(30_000, 1))
        try context.save()
        let other = newContext()
        let read = try photo("a", in: other)
        try photo("a", in: context).image = bytes(30_000, 2)
        try context.save()
        #expect(read.image == nil)
        let error = try #require(read.readError)
        #expect(
            error.code == .objectMissing && error.propertyName == "image" && error.objectID == read.objectID)
        #expect(read.name == "a")
        other.refresh(read)
        #expect(read.image == bytes(30_000, 2) && read.readError == nil)
    }

    @Test(arguments: [false, true])
    func `a merge or a save ends the read error of an object with changes`(isMerged: Bool) throws {
        insert("a", bytes(30_000, 1))
        try context.save()
        let other = newContext()
        other.mergePolicy = .propertyByProperty(.context)
        let read = try photo("a", in: other)
        read.name = "b"
        let changed = try photo("a", in: context)
        changed.image = bytes(30_000, 2)
        changed.name = "c"
        try context.save()
        #expect(read.image == nil && read.readError != nil)
        if isMerged { try other.mergePendingChanges() } else { try other.save() }
        #expect(read.readError == nil)
        #expect(read.image == bytes(30_000, 2) && read.readError == nil)
        #expect(read.name == "b" && read.hasChanges == isMerged)
    }

    @Test func `an undo restores values that a save replaced or deleted`() throws {
        context.undoManager = ManagedObjectContext.UndoManager()
        let photo = insert("a", bytes(30_000, 1))
        try context.save()
        photo.image = bytes(30_000, 2)
        try context.save()
        try context.undo()
        #expect(photo.image == bytes(30_000, 1))
        try context.save()
        #expect(try self.photo("a", in: newContext()).image == bytes(30_000, 1))
        context.delete(photo)
        try context.save()
        #expect(try stored().count == 0)
        try context.undo()
        try context.save()
        #expect(try self.photo("a", in: newContext()).image == bytes(30_000, 1))
        #expect(try stored().count == 1)
    }

    @Test(arguments: [
        MergePolicy.contextWins, .storeWins, .propertyByProperty(.context), .propertyByProperty(.store),
    ])
    func `a conflict leaves only the winner's value`(policy: MergePolicy) throws {
        insert("a", bytes(30_000, 1))
        try context.save()
        let other = newContext()
        other.mergePolicy = policy
        let theirs = try photo("a", in: other)
        _ = theirs.image
        theirs.image = bytes(30_000, 3)
        try photo("a", in: context).image = bytes(30_000, 2)
        try context.save()
        try other.save()
        let contextWins = policy == .contextWins || policy == .propertyByProperty(.context)
        #expect(try photo("a", in: newContext()).image == bytes(30_000, contextWins ? 3 : 2))
        #expect(theirs.image == bytes(30_000, contextWins ? 3 : 2))
        #expect(try stored().count == 1)
        // One context changed the name, and the other deleted the row. The row is inserted again, with the
        // value if the context knows it.
        theirs.name = "b"
        context.refreshAllObjects()
        context.delete(try photo("a", in: context))
        try context.save()
        try other.save()
        #expect(try stored().count == (contextWins ? 1 : 0))
        if contextWins { #expect(try photo("b", in: newContext()).image == bytes(30_000, 3)) }
    }

    @Test func `an attribute may gain or lose external storage, and its values are kept`() throws {
        insert("large", bytes(30_000, 1))
        insert("small", bytes(30, 2))
        try context.save()
        func reopen(_ isExternal: Bool, _ steps: [MigrationStep] = []) throws -> ManagedObjectContext {
            let image = AttributeDescription(
                name: "image", type: .binaryData, isOptional: true, allowsExternalStorage: isExternal)
            // Each model is a version that the store has not seen.
            let version = AttributeDescription(
                name: "version\(contexts.count)", type: .string, isOptional: true)
            let entity = EntityDescription(
                name: "Photo",
                attributes: [AttributeDescription(name: "name", type: .string), image, version])
            let container = try PersistentContainer(
                url: url, model: ManagedObjectModel(entities: [entity]),
                options: StoreOptions(migrationSteps: steps))
            contexts.append(container.newContext())
            return contexts[contexts.count - 1]
        }
        func images(_ context: ManagedObjectContext) throws -> [StoredValue] {
            try context.fetch(
                FetchRequest<ManagedObject>(entityName: "Photo", sortDescriptors: [.ascending("name")])
            ).map { try $0.value(forProperty: "image") }
        }
        let expected: [StoredValue] = [.blob(Array(bytes(30_000, 1))), .blob(Array(bytes(30, 2)))]
        #expect(try images(reopen(false)) == expected)
        #expect(try stored().classes == ["blob", "blob"] && stored().count == 0)
        let later = try reopen(true)
        #expect(try images(later) == expected)
        // Values that are written from now on are kept out of the row.
        let step = MigrationStep(of: "Photo") { old in
            #expect(old["image"] == (old["name"] == "large" ? expected[0] : expected[1]))
            return [:]
        }
        let objects = try later.fetch(FetchRequest<ManagedObject>(entityName: "Photo"))
        for object in objects { try object.setValue(.null, forProperty: "image") }
        try later.save()
        for (object, value) in zip(objects, expected) { try object.setValue(value, forProperty: "image") }
        try later.save()
        #expect(try stored().count == 1)
        #expect(try images(reopen(false, [step])) == expected)
        #expect(try stored().count == 0)
    }

    @Test func `only binary data can be kept out of the row, and it cannot be unique`() {
        for attribute in [
            AttributeDescription(name: "name", type: .string, allowsExternalStorage: true),
            AttributeDescription(
                name: "image", type: .binaryData, isUnique: true, allowsExternalStorage: true),
        ] {
            #expect(throws: ObjectStorageError.self) {
                try ManagedObjectModel(entities: [EntityDescription(name: "Photo", attributes: [attribute])])
            }
        }
    }
}
