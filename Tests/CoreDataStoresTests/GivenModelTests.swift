import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import Testing

/// Stores from before iOS 9, which contain no model, with a given model.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct GivenModelTests {
    private static let folder = "coredataplus/SampleModel/"

    /// Returns a copy of a store without its model.
    private static func bareStore(_ path: String, in directory: TemporaryDirectory) throws -> URL {
        let copy = try SampleStore.copy(path, to: directory)
        try SampleStore.execute("DROP TABLE Z_MODELCACHE", in: copy)
        return copy
    }

    @Test func `a store without a model is refused with a remedy`() throws {
        let directory = try TemporaryDirectory()
        let store = try Self.bareStore(Self.folder + "SampleModel_V1.sqlite", in: directory)
        let error = #expect(throws: ObjectStorageError.self) { try PersistentContainer(coreDataStore: store) }
        #expect(error?.code == .invalidModel && error?.message.contains("Give the model") == true)
    }

    @Test(arguments: [("SampleModel_V1.sqlite", "SampleModel"), ("SampleModel_V2.sqlite", "SampleModel2")])
    func `of a compiled bundle, the version with the store's hashes is used`(
        file: String, version: String
    ) throws {
        let directory = try TemporaryDirectory()
        let bare = try Self.bareStore(Self.folder + file, in: directory)
        let store = try CoreDataStore(
            contentsOf: bare, model: SampleStore.url(Self.folder + "SampleModel.momd"))
        #expect(store.modelVersionName == version && store.unreadableParts.isEmpty)
        let whole = try PersistentContainer(coreDataStore: SampleStore.url(Self.folder + file))
        #expect(try StoreOracle.lines(of: PersistentContainer(store)) == StoreOracle.lines(of: whole))
    }

    @Test(arguments: ["<?xml version=\"1.0\"?><plist><dict><key>x", "bplist00", ""])
    func `a damaged list of the versions of a bundle is an error that names it`(list: String) throws {
        let directory = try TemporaryDirectory()
        let bare = try Self.bareStore(Self.folder + "SampleModel_V1.sqlite", in: directory)
        let bundle = directory.file("SampleModel.momd")
        try FileManager.default.copyItem(at: SampleStore.url(Self.folder + "SampleModel.momd"), to: bundle)
        let versions = bundle.appending(path: "VersionInfo.plist")
        // The sample may be read-only.
        try FileManager.default.removeItem(at: versions)
        try Data(list.utf8).write(to: versions)
        let error = #expect(throws: ObjectStorageError.self) {
            try CoreDataStore(contentsOf: bare, model: bundle)
        }
        #expect(error?.code == .invalidModel)
    }

    @Test(arguments: [
        (
            "coredataplus/SampleModel/SampleModel_V1.sqlite",
            "coredataplus/SampleModel/SampleModel.xcdatamodeld"
        ),
        (
            "coredataplus/SampleModel/SampleModel_V2.sqlite",
            "coredataplus/SampleModel/SampleModel.xcdatamodeld"
        ),
        ("duckduckgo-bookmarks/Bookmarks_V2.sqlite", "duckduckgo-bookmarks/BookmarksModel.xcdatamodeld"),
        ("duckduckgo-bookmarks/Bookmarks_V5.sqlite", "duckduckgo-bookmarks/BookmarksModel.xcdatamodeld"),
        ("carekit/SampleStore2.0.sqlite", "carekit/CareKitStore.xcdatamodeld"),
    ])
    func `of a source bundle, the version that fits the tables is used`(path: String, model: String) throws {
        let directory = try TemporaryDirectory()
        let bare = try Self.bareStore(path, in: directory)
        let store = try CoreDataStore(contentsOf: bare, model: SampleStore.url(model))
        #expect(store.unreadableParts.isEmpty)
        let whole = try PersistentContainer(coreDataStore: SampleStore.url(path))
        #expect(try StoreOracle.lines(of: PersistentContainer(store)) == StoreOracle.lines(of: whole))
    }

    @Test func `a model of another app is refused`() throws {
        let directory = try TemporaryDirectory()
        let store = try Self.bareStore("duckduckgo-bookmarks/Bookmarks_V1.sqlite", in: directory)
        let error = #expect(throws: ObjectStorageError.self) {
            try CoreDataStore(contentsOf: store, model: SampleStore.url("carekit/CareKitStore.xcdatamodeld"))
        }
        #expect(error?.code == .invalidModel && error?.message.contains("No version of the model") == true)
    }
}
