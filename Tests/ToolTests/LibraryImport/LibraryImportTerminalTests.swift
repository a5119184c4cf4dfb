import Testing

/// The output of an import to a terminal, which has a progress line.
@Suite(.enabled(if: TmuxSession.isAvailable, TmuxSession.reason))
struct LibraryImportTerminalTests {
    @Test(
        arguments: [
            (
                "?,a\n",
                "library-import: “year” is imported as string, not integer64, because of “?” in line 2501."
            ),
            ("1\n", "book.csv:2501: has 1 fields, the header 2"),
        ])
    func `notes and reports of bad rows are on separate lines`(row: String, line: String) throws {
        let rows = (2...10_000).map { $0 == 2_501 ? row : "\($0),a\n" }.joined()
        let file = try LibraryImportFile("year,title\n" + rows)
        let tool = try ToolProcess.path("library-import")
        let session = try TmuxSession(file.directory, width: 120, "\(tool) book.csv library.store")
        let lines = try session.wait(for: "the end") { $0.contains { $0.hasPrefix("exit status") } }
        #expect(lines.contains(line), "\(lines)")
    }
}
