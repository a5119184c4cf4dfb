import CheckSupport
import CoreDataStores
import Foundation
import ModelReading
import ObjectStorage
import Testing

@testable import LibraryImport

/// Stores that were moved into a new store, compared with an independent reader of the old one.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct MovedStoreTests {
    private let directory: TemporaryDirectory
    private let other: TemporaryDirectory
    private var new: URL { other.file("new.store") }

    init() throws { (directory, other) = (try TemporaryDirectory(), try TemporaryDirectory()) }

    /// Moves a store in small batches, and returns the report.
    private func move(_ source: URL) throws -> MoveReport {
        try MoveTarget(path: new.path, sourcePath: source.path, busyTimeout: 5).fill(
            restarting: false, batchSize: 7, model: nil, since: .now, note: { _ in }, progress: { _ in })
    }

    /// Checks that all contents were moved, except for a number of them that no store can have.
    private func expectComplete(
        _ report: MoveReport, losses: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = (report.comparison.numberOfDifferences, report.comparison.numberOfLosses)
        let lines = report.lines.joined(separator: "\n")
        #expect(found == (0, losses), "\(lines)", sourceLocation: sourceLocation)
    }

    /// Compares the new store with the lines of an independent reader.
    private func expectContents(ofStoreAt source: URL) throws {
        let lines = try StoreOracle.lines(of: PersistentContainer(url: new))
        let expected = try StoreOracle.expectedLines(ofStoreAt: source.path)
        #expect(lines.count == expected.count)
        let first = zip(lines, expected).first { $0 != $1 }
        #expect(first == nil, "\(String(describing: first))")
    }

    /// Removes the triggers, which call functions of Core Data, and the unique indexes of a store.
    private func freeFromRules(_ store: URL) throws {
        try SampleStore.execute(
            "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE type = 'trigger' OR type = 'index' AND sql LIKE '%UNIQUE INDEX%'",
            in: store)
        try SampleStore.execute("REINDEX", in: store)
    }

    @Test(arguments: SampleStore.paths)
    func `counts, values and relationships agree with an independent reader`(path: String) throws {
        let copy = try SampleStore.copy(path, to: directory)
        let before = try SampleStore.contents(of: directory.url)
        let report = try move(copy)
        expectComplete(report)
        #expect(report.plan.changes.isEmpty, "\(report.plan.changes)")
        #expect(try SampleStore.contents(of: directory.url) == before)
        try expectContents(ofStoreAt: copy)
    }

    @Test(arguments: SampleStore.paths)
    func `random rows of all entities agree with an independent reader`(path: String) throws {
        let copy = try SampleStore.copy(path, to: directory)
        try StoreOracle.fill(storeAt: copy.path, seed: SeededGenerator.newSeed())
        let before = try SampleStore.contents(of: directory.url)
        let report = try move(copy)
        expectComplete(report)
        #expect(try SampleStore.contents(of: directory.url) == before)
        try expectContents(ofStoreAt: copy)
    }

    @Test(arguments: SampleStore.paths)
    func `the model has the rules of the old one`(path: String) throws {
        let copy = try SampleStore.copy(path, to: directory)
        _ = try move(copy)
        let model = try PersistentContainer(url: new).model
        let rules = try CoreDataStore.dataModel(ofStoreAt: copy).model
        #expect(model.entities.map(\.name).sorted() == rules.entities.map(\.name).sorted())
        for entity in rules.entities {
            let moved = try #require(model.entity(named: entity.name))
            #expect(moved.parentName == entity.parentName && moved.isAbstract == entity.isAbstract)
            #expect(moved.uniquenessConstraints == entity.uniquenessConstraints)
            #expect(Set(moved.relationships) == Set(entity.relationships), "\(entity.name)")
            for attribute in entity.attributes where attribute.derivation == nil {
                #expect(moved.attribute(named: attribute.name) == attribute)
            }
            #expect(moved.attributes.allSatisfy { $0.derivation == nil })
        }
    }

    @Test func `rules that objects break are relaxed, and nothing is lost`() throws {
        let copy = try SampleStore.copy("coredataplus/SampleModel2/SampleModel2_V1.sqlite", to: directory)
        try freeFromRules(copy)
        try SampleStore.execute(
            """
            UPDATE ZBOOK SET ZTITLE = 'ab' WHERE Z_PK = 3;
            UPDATE ZBOOK SET ZPRICE = NULL WHERE Z_PK = 4;
            UPDATE ZBOOK SET ZUNIQUEID = (SELECT ZUNIQUEID FROM ZBOOK WHERE Z_PK = 6) WHERE Z_PK = 5;
            UPDATE ZPAGE SET ZBOOK = NULL WHERE ZBOOK = 7;
            UPDATE ZPAGE SET ZISBOOKMARKED = 7 WHERE Z_PK = 8;
            UPDATE ZPAGE SET ZNUMBER = 3000000000 WHERE Z_PK = 9;
            """, in: copy)
        let report = try move(copy)
        expectComplete(report)
        try expectContents(ofStoreAt: copy)
        let pages = try Python.lines(
            of: """
                import sqlite3, sys
                print(sqlite3.connect(sys.argv[1]).execute('select count(*) from ZPAGE where ZBOOK is null').fetchone()[0])
                """, copy.path)[0]
        #expect(
            report.plan.changes == [
                "“Book.price”: 1 object without a value, which is required. It is optional in the new store.",
                "“Book.title”: 1 object with a value that breaks a rule. The new store has no rule that a value must have at least 3 characters.",
                "“Book”: 1 value of uniqueID occurs in several objects. The new store has no uniqueness constraint on uniqueID.",
                "“Book.pages”: 1 object with too few or too many related objects (allowed: at least 1 and at most 10,000). Any number is allowed in the new store.",
                "“Page.isBookmarked”: 1 object with a value that is not of type boolean. The type is integer16 in the new store.",
                "“Page.number”: 1 object with a value that is not of type integer32. The type is integer64 in the new store.",
                "“Page.book”: \(pages) objects without a related object, which is required. It is optional in the new store.",
            ])
        // All objects can be saved again.
        let context = try PersistentContainer(url: new).newContext()
        let books = try context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
        for book in books { book["publishedAt"] = .real(1) }
        try context.save()
    }

    @Test func `contents that no store can have are listed with the reasons`() throws {
        let copy = try SampleStore.copy("coredataplus/SampleModel2/SampleModel2_V1.sqlite", to: directory)
        try freeFromRules(copy)
        try SampleStore.execute(
            """
            UPDATE ZPAGE SET ZBOOK = 999999 WHERE Z_PK = 10;
            UPDATE ZFEEDBACK SET ZCOMMENT = CAST(x'61ff62' AS TEXT) WHERE Z_PK = 11;
            UPDATE ZFEEDBACK SET ZRATING = 'abc' WHERE Z_PK = 12;
            UPDATE ZBOOK SET Z_ENT = 99, ZAUTHOR = NULL WHERE Z_PK = 2;
            """, in: copy)
        let report = try move(copy)
        expectComplete(report, losses: report.comparison.numberOfLosses)
        let losses = report.comparison.losses.filter { $0.source != "2" }
        let texts = losses.map { loss in
            "\(loss.entityName) \(loss.key ?? 0) \(loss.propertyName ?? ""): \(loss.source), \(loss.target), \(loss.reason ?? "")"
        }
        #expect(
            texts.sorted() == [
                "Book 0 : 1 row of entities that the model does not have, no object, an object has an entity of the model",
                "Feedback 11 comment: “a\u{FFFD}b”, “a\u{FFFD}b”, the text is not valid UTF-8; U+FFFD replaces the invalid bytes",
                "Feedback 12 rating: “abc”, nil, the value is not one of the property's type",
                "Page 10 book: 999999, nil, the related object does not exist",
            ])
        #expect(report.lines[0].contains("all moved contents are equal in both, and"))
        // The pages of the hidden book lead to no object.
        #expect(report.comparison.numberOfLosses > 3)
        // The new store is consistent.
        let lines = try Python.lines(
            of: """
                import sqlite3, sys
                print(len(sqlite3.connect(sys.argv[1]).execute('pragma foreign_key_check').fetchall()))
                """, new.path)
        #expect(lines == ["0"])
    }

    @Test func `tables and columns that the model does not have are lost`() throws {
        let copy = try SampleStore.copy("coredataplus/SampleModel2/SampleModel2_V1.sqlite", to: directory)
        try freeFromRules(copy)
        try SampleStore.execute(
            """
            ALTER TABLE ZBOOK ADD COLUMN ZEXTRA VARCHAR;
            UPDATE ZBOOK SET ZEXTRA = 'x' WHERE Z_PK < 4;
            CREATE TABLE ZOTHER (Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR);
            INSERT INTO ZOTHER VALUES (1, 'a'), (2, 'b');
            """, in: copy)
        let report = try move(copy)
        expectComplete(report, losses: 5)
        #expect(
            report.comparison.losses.map { "\($0.entityName) \($0.propertyName ?? ""): \($0.source)" } == [
                "table “ZBOOK” ZEXTRA: 3 values", "table “ZOTHER” : 2 rows",
            ])
        try expectContents(ofStoreAt: copy)
    }

    @Test func `bytes in files are moved, and a missing file is listed`() throws {
        let copy = try SampleStore.copy("photos-empty-ventura/Photos.sqlite", to: directory)
        let column = try ExternalBytesColumn(ofStoreAt: copy)
        let (entity, attribute) = (column.entity, column.attribute)
        let names = (0..<3).map { _ in UUID().uuidString }
        try freeFromRules(copy)
        try column.insert(names.map(ExternalBytesColumn.sql) + ["x'01'", "NULL"])
        let files = directory.file(".Photos_SUPPORT").appending(path: "_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        let sizes = [20_000_000, 200_000]
        for (name, size) in zip(names, sizes) {
            try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(
                to: files.appending(path: name))
        }
        let report = try move(copy)
        expectComplete(report, losses: 1)
        let loss = try #require(report.comparison.losses.first)
        #expect(loss.key == 3 && loss.propertyName == attribute && loss.reason?.contains(names[2]) == true)
        let context = try PersistentContainer(url: new).newContext()
        let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name))
        let values = try objects.sorted { $0.objectID.primaryKey ?? 0 < $1.objectID.primaryKey ?? 0 }.map {
            try $0.value(forProperty: attribute)
        }
        #expect(values.count == 5)
        for (value, size) in zip(values, sizes) {
            #expect(value == .blob((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
        }
        #expect(values.dropFirst(2) == [.null, .blob([]), .null])
    }

    @Test func `the history is reported with its numbers`() throws {
        let copy = try SampleStore.copy("coredataplus/SampleModel2/SampleModel2_V1.sqlite", to: directory)
        let report = try move(copy)
        #expect(
            report.lines.contains {
                $0.hasSuffix("The persistent history: 1 transaction with 5,468 changes.")
            })
        #expect(report.lines.contains { $0.contains("“Author.feedbacks”: fetched property") })
        #expect(report.lines.contains { $0.contains("“Book.pagesCount”: the derivation “pages.@count”") })
    }
}
