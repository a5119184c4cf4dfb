import Foundation
import Testing

/// The import of an edited export that lacks objects to which others refer.
@Suite struct StoreExportReferencesTests {
    /// A directory with an export of thirteen books, two of them of Ann, and twelve authors.
    private let file: LibraryImportFile
    private let export: String
    private let store: String

    init() throws {
        let rows = (1...13).map { "\($0),Book \($0),Author \(max($0, 2))" }
        file = try LibraryImportFile((["id,title,author"] + rows).joined(separator: "\n") + "\n")
        export = file.directory.path("files")
        store = file.directory.path("new")
        #expect(try file.run(["--relationship", "author=Author"]).status == 0)
        #expect(try ToolProcess.run("library-import", ["export", file.storePath, export]).status == 0)
    }

    /// Removes the authors that a condition names from the export.
    private func removeAuthors(_ isRemoved: (String) -> Bool) throws {
        let path = "\(export)/Author.csv"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let kept = [lines[0]] + lines.dropFirst().filter { !isRemoved(String($0)) }
        try (kept.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    @Test func `the first ten references that became nil are named, and all are counted`() throws {
        try removeAuthors { !$0.hasSuffix("Author 13") }
        let run = try ToolProcess.run("library-import", ["--from", export, store, "--edited"])
        #expect(run.status == 1)
        let lines = run.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let first = try #require(
            lines.firstIndex(of: "12 references to objects that the files do not have became nil:"))
        let named = lines[(first + 1)...].filter { $0.contains(": author was the object ") }
        // The keys of the authors in the store that was exported.
        let expected = try ForeignWriter.run(
            "SELECT objectID, author FROM Book ORDER BY 1 LIMIT 10", on: file.storePath)
        #expect(
            named
                == expected.split(separator: "\n").map {
                    let keys = $0.split(separator: "|")
                    return "Book \(keys[0]): author was the object \(keys[1])"
                })
        #expect(lines.last == "and 2 more")
        #expect(try ForeignWriter.run("SELECT count(author) FROM Book", on: store) == "1\n")
    }

    @Test func `the report in JSON has the cleared references`() throws {
        try removeAuthors { $0.hasSuffix("Author 7") }
        let run = try ToolProcess.run("library-import", ["--from", export, store, "--edited", "--json"])
        #expect(run.status == 1)
        let report = try #require(
            JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(report["clearedReferences"] as? Int == 1)
        let examples = try #require(report["clearedReferenceExamples"] as? [[String: Any]])
        let keys = try ForeignWriter.run(
            "SELECT objectID, author FROM Book WHERE title = 'Book 7'", on: file.storePath)
        #expect(
            examples.map { "\($0["objectID"] ?? "")|\($0["missing"] ?? "")\n" } == [keys])
        #expect(examples.first?["entity"] as? String == "Book")
        #expect(examples.first?["relationship"] as? String == "author")
    }

    @Test func `an error in an edited file names the whole command that imports it`() throws {
        let path = "\(export)/Book.csv"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacing("Book 3", with: "\"Book 3").write(
            toFile: path, atomically: true, encoding: .utf8)
        try ToolProcess.run("library-import", ["--from", export, store, "--edited"])
            .expectRefusal(saying: "Book.csv")
        try text.replacing("\n3,", with: "\nthree,").write(toFile: path, atomically: true, encoding: .utf8)
        try ToolProcess.run("library-import", ["--from", export, store, "--edited", "--restart"])
            .expectRefusal(saying: "“library-import --from \(export) \(store) --restart --edited”")
    }
}
