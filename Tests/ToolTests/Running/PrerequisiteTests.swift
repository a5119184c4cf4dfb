import Foundation
import Testing

/// Tests that need another program are skipped where it is missing. In continuous integration none may be.
@Suite struct PrerequisiteTests {
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["CI"] == "1", "CI is not 1"),
        arguments: ["sqlite3", "python3", "tmux"])
    func `continuous integration has each program that tests need`(name: String) {
        let directories = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        #expect(
            directories.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") },
            "Install \(name): tests that need it are skipped without it. Tools/test installs it with apt-get."
        )
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["CI"] == "1", "CI is not 1"))
    func `continuous integration has the tools as they are linked for users`() {
        #expect(ReleasedTool.areStatic, "Run .ci/run, which builds them before the tests.")
    }
}
