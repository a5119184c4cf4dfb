import CheckSupport
import Foundation
import Testing

/// Files that were made by hand are imported as Python reads them.
///
/// One process imports all files, and Python's modules csv, json and sqlite3 compute the rows, the types, the
/// names and the lines of bad records, and compare them with the store.
@Suite(.enabled(if: Python.path != nil, "python3 is not on the search path"))
struct ImportTableTests {
    private static let groups = [
        ImportTable.quotesAndLineEnds, ImportTable.shapes, ImportTable.layouts, ImportTable.types,
        ImportTable.typesOfDates, ImportTable.encodings, ImportTable.jsonRecords, ImportTable.jsonValues,
        ImportTable.refusedFiles, ImportTable.knownFaults,
    ]

    @Test func `two hundred files are imported as Python reads them`() throws {
        let cases = Self.groups.flatMap { $0 }
        #expect(cases.count >= 200)
        #expect(Set(cases.map(\.name)).count == cases.count)
        let directory = try ScratchDirectory()
        try JSONEncoder().encode(cases).write(to: directory.file("cases.json"))
        let run = try ToolProcess.run(
            "import-replay", ["check", directory.path("cases.json")], timeLimit: 300)
        #expect(run.status == 0, "\(run)")
        #expect(run.output.contains("\(cases.count) files; different 0"), "\(run)")
    }

    @Test func `a table with a wrong expectation is reported with the file`() throws {
        var wrong = ImportCase.csv("a type that is not the one of the column", "id,n\n1,2\n2,3\n")
        wrong.types = ["n": ["string"]]
        var missing = ImportCase.csv("a file that is not refused", "id,n\n1,2\n")
        missing.refused = ["anything"]
        // The reading of Python differs from that of the importer: another delimiter.
        let other = ImportCase.csv("another delimiter", "id;n,m\n1;2,3\n4;5,6\n", ["--delimiter", "comma"]) {
            $0.delimiter = ";"
        }
        let directory = try ScratchDirectory()
        try JSONEncoder().encode([wrong, missing, other]).write(to: directory.file("cases.json"))
        let run = try ToolProcess.run("import-replay", ["check", directory.path("cases.json")])
        #expect(run.status == 1, "\(run)")
        #expect(run.output.contains("the type of 'n' is integer64 instead of string"), "\(run)")
        #expect(run.output.contains("status 0 instead of 2"), "\(run)")
        #expect(run.output.contains("3 files; different 3"), "\(run)")
    }
}

/// The files.
enum ImportTable {}
