#if os(Linux)
import Foundation
import CheckSupport
import Testing

@Suite struct ThreadShortageTests {
    @Test(.disabled(if: Sanitizer.isUsed, "the sanitizer needs the addresses that the stacks would take"))
    func `a file is imported without threads`() throws {
        let file = try LibraryImportFile(
            "title,year\n" + (0..<20_000).map { "title \($0),\($0 % 100 + 1900)\n" }.joined())
        // The stack of each thread would be larger than the address space, so no thread can be created.
        let script = "ulimit -s 200000000000; exec \"$0\" \"$@\""
        let run = try ToolProcess.run(
            executable: URL(filePath: "/bin/sh"),
            ["-euc", script, try ToolProcess.path("library-import"), file.path, file.storePath, "--json"])
        try #require(run.status == 0, "\(run)")
        let counts = try JSONDecoder().decode(
            LibraryImportCounts.self, from: Data(run.output.utf8))
        #expect(counts == LibraryImportCounts(inserted: 20_000))
    }
}
#endif
