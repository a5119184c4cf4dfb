import CheckSupport
import Foundation
import LMDB
import Testing

@Suite struct NamedDatabaseTests {
    private static func database(in directory: TemporaryDirectory) throws -> (Environment, NamedDatabase) {
        let environment = try directory.environment()
        let database = try environment.write { (transaction) throws(LMDBError) in
            let database = try transaction.database(creating: "a")
            try transaction.put([1], for: [2], in: database)
            return database
        }
        return (environment, database)
    }

    @Test func `a database is read with transactions of its own environment`() throws {
        let directory = try TemporaryDirectory()
        let (environment, database) = try Self.database(in: directory)
        let found = try environment.existingDatabase(named: "a")
        #expect(found == database)
        let value = try environment.read { (transaction) throws(LMDBError) in
            try transaction.withValue(of: [2], in: database) { $0.withUnsafeBytes { Array($0) } }
        }
        #expect(value == [1])
    }

    @Test func `reading with a transaction of another environment traps`() async {
        await #expect(processExitsWith: .failure) {
            let (_, database) = try NamedDatabaseTests.database(in: TemporaryDirectory())
            let other = try TemporaryDirectory()
            let (environment, _) = try NamedDatabaseTests.database(in: other)
            try environment.read { (transaction) throws(LMDBError) in
                _ = try transaction.withValue(of: [2], in: database) { $0.byteCount }
            }
        }
    }

    @Test func `writing with a transaction of another environment traps`() async {
        await #expect(processExitsWith: .failure) {
            let (_, database) = try NamedDatabaseTests.database(in: TemporaryDirectory())
            let other = try TemporaryDirectory()
            let (environment, _) = try NamedDatabaseTests.database(in: other)
            try environment.write { (transaction) throws(LMDBError) in
                try transaction.removeAll(in: database)
            }
        }
    }

    /// The two tests above can fail: the same steps with one environment do not trap.
    @Test func `the same steps in one environment do not trap`() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let (environment, database) = try NamedDatabaseTests.database(in: directory)
            try environment.write { (transaction) throws(LMDBError) in
                try transaction.removeAll(in: database)
            }
        }
    }
}
