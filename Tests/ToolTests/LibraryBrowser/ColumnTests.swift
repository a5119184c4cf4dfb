import Foundation
import Testing

/// The columns of a list without `--columns`.
@Suite struct ColumnTests {
    @Test func `default columns begin with the order, then names and titles, and end with identifiers`()
        throws
    {
        let file = try LibraryImportFile(
            "work_id,series_id,lang,pages,rating,original_title,title,id\n1,2,en,100,3,O,T,9\n")
        #expect(try file.run(["--no-key"]).status == 0)
        func columns(_ arguments: String...) throws -> [String] {
            let run = try ToolProcess.run("library-browser", [file.storePath, "--json"] + arguments)
            return try #require(try run.jsonObject()["columns"] as? [String], "\(run)")
        }
        #expect(try columns() == ["title", "original_title", "lang", "pages"])
        #expect(
            try columns("--sort", "-rating,series_id") == ["rating", "series_id", "title", "original_title"])
        // A heading shows a plain section key, and not the property of a computed one.
        #expect(try columns("--group-by", "lang") == ["title", "original_title", "pages", "rating"])
        #expect(
            try columns("--group-by", "letter:lang", "--sort", "lang,pages")
                == ["lang", "pages", "title", "original_title"])
        #expect(try columns("--columns", "id") == ["id"])
    }
}
