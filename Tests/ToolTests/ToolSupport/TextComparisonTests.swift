import Foundation
import Testing

/// Conditions that compare a string attribute with a number.
@Suite struct TextComparisonTests {
    private func browse(_ path: String, _ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("library-browser", [path] + arguments)
    }

    @Test func `a number is not compared with a string by an order of texts`() throws {
        let file = try LibraryImportFile("name,price,count\nA,9.50,1\nB,45.70,20\nC,120.00,3\n")
        let imported = try file.run()
        #expect(
            imported.errors.contains("“price” is imported as string, which is sorted and compared as text."),
            "\(imported)")
        #expect(imported.errors.contains("--type \"price=double\""), "\(imported)")
        for condition in [
            "price>50", "price > 50", "price<=-1.5", "price > 50 AND count = 1", "price BETWEEN {1, 50}",
            "50 < price",
        ] {
            try browse(file.storePath, "--where", condition).expectRefusal(
                saying: "“price” is a string", "--type price=double")
        }
        func names(_ condition: String, _ store: String) throws -> [String] {
            let run = try browse(store, "--where", condition, "--json", "--columns", "name")
            let sections = try #require(try run.jsonObject()["sections"] as? [[String: Any]], "\(run)")
            let rows = sections.first?["rows"] as? [[String: Any]] ?? []
            return rows.compactMap { $0["name"] as? String }
        }
        #expect(try names("price > \"50\"", file.storePath) == ["A"])
        #expect(try names("price=45.70", file.storePath) == ["B"])
        #expect(try names("name>A1", file.storePath) == ["B", "C"])
        #expect(try names("count>2", file.storePath) == ["B", "C"])
        // The remedy of the note: a new store with numbers.
        let numbers = file.directory.path("numbers.store")
        let again = try ToolProcess.run("library-import", [file.path, numbers, "--type", "price=double"])
        #expect(again.status == 0, "\(again)")
        #expect(try names("price>40", numbers) == ["B", "C"])
        try ToolProcess.run(
            "library-import", [file.path, file.storePath, "--type", "price=double", "--again"]
        ).expectRefusal(saying: "has type string in the store and double", "into a new store")
    }
}
