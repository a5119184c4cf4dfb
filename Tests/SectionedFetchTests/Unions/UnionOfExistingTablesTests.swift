import Foundation
import SectionedFetch
import Testing

/// Lists of objects of several entities in tables of another program.
@Suite final class UnionOfExistingTablesTests {
    private let directory: URL
    private let store: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "sectioned-fetch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        store = directory.appending(path: "shop.db")
        try ForeignProgram.run(
            [
                """
                CREATE TABLE books (id INTEGER PRIMARY KEY, Name TEXT COLLATE NOCASE, made INTEGER);
                CREATE TABLE discs (nr INTEGER NOT NULL UNIQUE, label TEXT, made INTEGER);
                INSERT INTO books VALUES (-3, 'beta', 978307200), (7, 'Alpha', 978307201);
                INSERT INTO discs VALUES (7, 'alpha', 978307200500), (8, 'Beta', NULL);
                """
            ], store: store)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func container(
        _ way: StoreOptions.ExistingTables, isReadOnly: Bool = false
    ) throws -> PersistentContainer {
        let attributes = [
            AttributeDescription(name: "title", type: .string, isOptional: true),
            AttributeDescription(name: "made", type: .date, isOptional: true),
        ]
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Book", attributes: attributes,
                existingTable: ExistingTable(
                    name: "books", primaryKey: "id", columns: ["title": "Name"],
                    forms: ["made": .unixSeconds])),
            EntityDescription(
                name: "Disc", attributes: attributes,
                existingTable: ExistingTable(
                    name: "discs", primaryKey: "nr", columns: ["title": "label"],
                    forms: ["made": .unixMilliseconds])),
        ])
        return try PersistentContainer(
            url: store, model: model, options: StoreOptions(isReadOnly: isReadOnly, existingTables: way))
    }

    private func words(_ objects: some Sequence<ManagedObject>) throws -> [String] {
        try objects.map { "\($0.objectID) \(try $0.value(forProperty: "title").text ?? "")" }
    }

    @Test(arguments: [StoreOptions.ExistingTables.tracked, .untracked])
    func `values of both tables are compared in their usual form`(_ way: StoreOptions.ExistingTables) throws {
        let context = try container(way).newContext()
        var request = FetchRequest<ManagedObject>(
            entityNames: ["Book", "Disc"], sortDescriptors: [.ascending("title")])
        #expect(
            try words(context.fetch(request)) == [
                "Book/7 Alpha", "Disc/8 Beta", "Disc/7 alpha", "Book/-3 beta",
            ])
        request.sortDescriptors = [.ascending("made", nulls: .last)]
        #expect(
            try words(context.fetch(request)) == [
                "Book/-3 beta", "Disc/7 alpha", "Book/7 Alpha", "Disc/8 Beta",
            ])
        request.predicate = try .init(format: "title == 'alpha'")
        #expect(try words(context.fetch(request)) == ["Disc/7 alpha"])
        request.predicate = try .init(
            format: "made > %@", arguments: [Date(timeIntervalSince1970: 978_307_200.25)])
        #expect(try words(context.fetch(request)) == ["Disc/7 alpha", "Book/7 Alpha"])
    }

    @Test(arguments: [StoreOptions.ExistingTables.tracked, .untracked])
    func `changes of another program are followed`(_ way: StoreOptions.ExistingTables) throws {
        let context = try container(way).newContext()
        let listener = Listener<ManagedObject>()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<ManagedObject>(
                entityNames: ["Disc", "Book"], sortDescriptors: [.ascending("title")]),
            context: context)
        controller.delegate = listener
        try controller.performFetch()
        try ForeignProgram.run(
            ["UPDATE discs SET label = 'Zeta' WHERE nr = 7; DELETE FROM books WHERE id = 7;"], store: store)
        _ = try context.mergeOthersChanges()
        #expect(
            try words(#require(controller.fetchedObjects)) == ["Disc/8 Beta", "Disc/7 Zeta", "Book/-3 beta"])
        let events = listener.changes.flatMap(\.rowEvents)
        if way == .tracked {
            #expect(Set(events.map { "\($0.kind) \($0.objectID)" }) == ["deletion Book/7", "update Disc/7"])
        } else {
            #expect(listener.changes.map(\.isReload) == [true])
        }
    }

    @Test(arguments: [Int64(1) << 55, -(Int64(1) << 55) - 1, .max, .min, Int64(1) << 62 + Int64(1) << 57])
    func `a key that the list cannot have is an error that names it`(_ key: Int64) throws {
        try ForeignProgram.run(["INSERT INTO books VALUES (\(key), 'x', 0)"], store: store)
        let context = try container(.untracked).newContext()
        for names in [["Book", "Disc"], ["Disc", "Book"]] {
            let request = FetchRequest<ManagedObject>(
                entityNames: names, sortDescriptors: [.ascending("title")])
            let error = #expect(throws: ObjectStorageError.self) { _ = try context.fetch(request) }
            #expect("\(error.map { "\($0)" } ?? "")".contains("\(key)"))
        }
        let books = FetchRequest<ManagedObject>(entityName: "Book", sortDescriptors: [.ascending("title")])
        #expect(try context.count(for: books) == 3)
    }

    @Test(arguments: [(Int64(1) << 55) - 1, -(Int64(1) << 55)])
    func `the largest and the smallest key are listed`(_ key: Int64) throws {
        try ForeignProgram.run(["INSERT INTO discs VALUES (\(key), 'x', 0)"], store: store)
        let context = try container(.untracked).newContext()
        let request = FetchRequest<ManagedObject>(
            entityNames: ["Book", "Disc"], sortDescriptors: [.descending("title")])
        #expect(try words(context.fetch(request)).first == "Disc/\(key) x")
    }
}
