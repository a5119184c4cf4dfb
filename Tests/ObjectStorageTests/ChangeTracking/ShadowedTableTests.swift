import CheckSupport
import Foundation
import GRDB
import ObjectStorage
import Testing

/// An application's connection may have a temporary table with the name of a table in the store.
@Suite struct ShadowedTableTests {
    @Test func `triggers are created on the table in the file and not on the temporary table`() throws {
        let library = try Library()
        let path = library.directory.file("library.sqlite").path
        let queue = try DatabaseQueue(path: path)
        let container = try PersistentContainer(writer: queue, model: Library.model())
        try queue.writeWithoutTransaction {
            try $0.execute(sql: "CREATE TEMP TABLE Work AS SELECT * FROM main.Work")
        }
        try library.runElsewhere("DROP TRIGGER sc_Work_insert; INSERT INTO Work (title) VALUES ('a')")
        #expect(try !isStamped(container))
        try container.repairTracking(of: ["Work"])
        #expect(try isStamped(container))
        let triggers =
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'Work' AND name LIKE 'sc!_Work!_%' ESCAPE '!' ORDER BY 1"
        #expect(
            try Library.output(of: triggers, path: path).contains(
                "sc_Work_delete\nsc_Work_insert\nsc_Work_update"))
        #expect(
            try queue.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_temp_schema WHERE type = 'trigger'")
            } == 0)
        try library.runElsewhere("INSERT INTO Work (title) VALUES ('b')")
        #expect(try !isStamped(container))
    }

    private func isStamped(_ container: PersistentContainer) throws -> Bool {
        if case .stamped = try container.state(of: ["Work"]) { true } else { false }
    }
}
