import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import Testing

/// Objects of Core Data stores that are changed and saved, checked with an independent reader and with the
/// rules of the format.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct CoreDataWritingTests {
    static let cars = "coredataplus/SampleModel/SampleModel_V1.sqlite"
    static let books = "coredataplus/SampleModel2/SampleModel2_V2.sqlite"
    static let photos = "photos-empty-ventura/Photos.sqlite"
    static let bookmarks = "duckduckgo-bookmarks/Bookmarks_V5.sqlite"

    static let historyNumbers = """
        INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0),
            (16003, 'TRANSACTIONSTRING', 0, 0)
        """

    static let withoutHistory = "DROP TABLE ACHANGE; DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING"

    static func open(
        _ url: URL, _ writing: CoreDataWriting = .withoutCopy
    ) throws -> PersistentContainer {
        var options = StoreOptions()
        options.coreDataWriting = writing
        return try PersistentContainer(coreDataStore: url, options: options)
    }

    static func objects(_ entity: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: entity))
    }

    /// Inserts an object with some value for each required attribute without a default.
    static func insert(_ entity: String, in context: ManagedObjectContext) throws -> ManagedObject {
        let object = try context.insert(entityNamed: entity)
        for attribute in object.entity.attributes where !attribute.isOptional && attribute.defaultValue.isNull
        {
            object[attribute.name] =
                switch attribute.type {
                case .string, .uri: .text("text")
                case .date, .double, .float: .real(1.5)
                case .uuid: .blob([UInt8](repeating: 1, count: 16))
                case .binaryData, .transformable: .blob([1])
                case .decimal: .text("1")
                default: .integer(1)
                }
        }
        return object
    }

    /// Returns the rows of a statement as Python prints them.
    static func rows(_ sql: String, in store: URL) throws -> [String] {
        try Python.lines(
            of: """
                import sqlite3, sys
                for r in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*r)
                """, store.path, sql)
    }

    /// The smallest numbers of saves in 25 rounds of stores in which random changes break rules of the model.
    private static let minimumSaves = [
        "carekit/SampleStore2.0.sqlite": 4, "coredataplus/SampleModel2/SampleModel2_V1.sqlite": 1,
        "coredataplus/SampleModel2/SampleModel2_V2.sqlite": 1, photos: 8,
    ]

    /// The reasons why rows of some stores are not written.
    private static let refusals = [
        "coredataplus/SampleModel2/SampleModel2_V1.sqlite": "a rule of “title” cannot be checked",
        "coredataplus/SampleModel2/SampleModel2_V2.sqlite": "a rule of “title” cannot be checked",
        photos: "the history of changes keeps values of deleted objects",
    ]

    @Test(arguments: SampleStore.paths)
    func `random changes follow the rules of the format`(path: String) throws {
        let directory = try TemporaryDirectory()
        let copy = try SampleStore.copy(path, to: directory)
        // The empty library has tables of a history without their rows in Z_PRIMARYKEY.
        if path == Self.photos { try SampleStore.execute(Self.historyNumbers, in: copy) }
        let seed = SeededGenerator.newSeed()
        let container = try Self.open(copy)
        var editor = RandomEditor(container.model, seed: seed)
        var context = container.newContext()
        var saved = 0
        var refused: [ObjectStorageError.Code: Int] = [:]
        for round in 0..<25 {
            let before = try StoreChecker.snapshot(of: copy, to: directory, "before.sqlite")
            do {
                try editor.edit(context)
                try context.save()
                saved += 1
            } catch let error as ObjectStorageError {
                if refused[error.code] == nil { print("\(path): \(error)") }
                refused[error.code, default: 0] += 1
                let expected: [ObjectStorageError.Code] = [
                    .missingValue, .invalidValue, .duplicateValue, .deletionDenied,
                ]
                let isRefusal =
                    error.code == .existingTableMismatch
                    && Self.refusals[path].map { error.message.contains($0) } == true
                #expect(expected.contains(error.code) || isRefusal, "\(error)")
                context = container.newContext()
            }
            let faults = try StoreChecker.faults(from: before, to: copy)
            #expect(faults.isEmpty, "round \(round): \(faults.prefix(5))")
            guard round % 5 == 4 || !faults.isEmpty else { continue }
            let expected = try StoreOracle.expectedLines(ofStoreAt: copy.path)
            for lines in [
                try StoreOracle.lines(of: container), try StoreOracle.lines(of: context, container.model),
            ] {
                #expect(lines.count == expected.count)
                let first = zip(lines, expected).first { $0 != $1 }
                #expect(first == nil, "round \(round): \(String(describing: first))")
            }
            if !faults.isEmpty { break }
        }
        print("\(path): \(saved) saves, refused: \(refused)")
        #expect(saved >= Self.minimumSaves[path] ?? 20, "\(saved) saves, refused: \(refused)")
    }
}
