import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// The errors for databases of other programs, which name the ways to open them.
@Suite struct ForeignDatabaseTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func error(_ sql: String, model: ManagedObjectModel?) throws -> ObjectStorageError? {
        let url = directory.file("\(UUID()).sqlite")
        try Library.runElsewhere(sql, path: url.path)
        do {
            _ = try PersistentContainer(url: url, model: model)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [true, false]) func `a store of Core Data is named, with its way to be opened`(
        hasModel: Bool
    ) throws {
        let error = try error(
            "CREATE TABLE Z_METADATA (Z_VERSION); CREATE TABLE Z_PRIMARYKEY (Z_ENT); CREATE TABLE ZARTIST (Z_PK)",
            model: hasModel ? Library.model() : nil)
        #expect(error?.code == .foreignStore)
        #expect(error?.message.contains("PersistentContainer(coreDataStore:)") == true)
    }

    @Test(arguments: [true, false]) func `any other database is named, with its ways to be opened`(
        hasModel: Bool
    ) throws {
        let error = try error(
            "CREATE TABLE Z_METADATA (a); CREATE TABLE Artist (id INTEGER PRIMARY KEY)",
            model: hasModel ? Library.model() : nil)
        #expect(error?.code == .foreignStore)
        #expect(error?.message.contains("ExistingTable") == true)
        #expect(error?.message.contains("DatabaseSurvey") == true)
    }
}
