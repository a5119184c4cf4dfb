import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Keys that a file shows, and keys that are added to rows without one.
@Suite struct LibraryImportKeyTests {
    /// Rows whose codes differ and whose other values repeat.
    private func content(_ count: Int, code: (Int) -> String = { "c\($0 * 7 % 1_009)" }) -> String {
        "price,day,code,shelf\n"
            + (0..<count).map {
                "\($0).5,2020-01-\($0 % 28 < 9 ? "0" : "")\($0 % 28 + 1)T00:00:00Z,\(code($0)),\($0 % 5)\n"
            }.joined()
    }

    @Test func `a column that tells all rows apart is named, and proposed as the key`() throws {
        let file = try LibraryImportFile(content(900))
        let proposed = try ToolProcess.run("library-import", ["propose", file.path]).jsonObject()
        #expect(proposed["key"] as? String == "code")
        let run = try file.run()
        #expect(run.errors.contains("“code” tells all rows apart."), "\(run)")
        #expect(run.errors.contains("pass --key \"code\""), "\(run)")
        // The value that repeats is the last one.
        try file.write(content(2_000) { $0 == 1_999 ? "x0" : "x\($0)" })
        let repeated = try ToolProcess.run("library-import", ["propose", file.path]).jsonObject()
        #expect(repeated["key"] == nil)
        let none = try file.run(["--entity", "Other"])
        #expect(!none.errors.contains("tells all rows apart"), "\(none)")
        let chosen = try file.run(["--entity", "Third", "--no-key"])
        #expect(!chosen.errors.contains("tells all rows apart"), "\(chosen)")
    }

    @Test func `a key is added to rows that were imported without one, unless it repeats`() throws {
        let file = try LibraryImportFile(content(300))
        #expect(try file.counts(["--no-key"]).inserted == 300)
        let (old, new) = ("1.5,2020-01-02T00:00:00Z,c7,1", "1.5,2020-01-02T00:00:00Z,c7,9")
        try file.write(content(310).replacing(old, with: new))
        #expect(
            try file.counts(["--key", "code", "--batch", "100"])
                == LibraryImportCounts(inserted: 10, updated: 1, unchanged: 299))
        let names = try ForeignWriter.run(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'Book'", on: file.storePath)
        #expect(names.isEmpty)
        let run = try file.run(["--key", "shelf", "--entity", "Book"])
        run.expectRefusal(saying: "“Book.shelf” cannot be the key", "0 (62 rows), 2 (62 rows)")
        #expect(try file.rows("Book", ["code"]).count == 310)
    }
}
