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

    /// The tables of a database, and the ways to open it that the error names.
    private static let databases = [
        (
            "CREATE TABLE Z_METADATA (Z_VERSION); CREATE TABLE Z_PRIMARYKEY (Z_ENT); CREATE TABLE ZARTIST (Z_PK)",
            ["PersistentContainer(coreDataStore:)", "library-import --from"]
        ),
        (
            "CREATE TABLE Z_METADATA (a); CREATE TABLE Artist (id INTEGER PRIMARY KEY)",
            ["ExistingTable", "DatabaseSurvey"]
        ),
    ]

    @Test(arguments: databases.indices, [true, false])
    func `the error for a database of another program names the ways to open it`(
        number: Int, hasModel: Bool
    ) throws {
        let (sql, ways) = Self.databases[number]
        let error = try #require(try error(sql, model: hasModel ? Library.model() : nil))
        #expect(error.code == .foreignStore)
        for way in ways { #expect(error.message.contains(way), "\(error.message)") }
    }
}
