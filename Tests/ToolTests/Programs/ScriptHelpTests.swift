import Foundation
import Testing

/// The option `--help` of the scripts.
@Suite struct ScriptHelpTests {
    private static let scripts = [
        "benchmark", "build", "documentation", "fuzz", "pictures", "quickstart", "sanitize", "test",
    ]

    @Test func `each script is listed here`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: RepositoryFile.url("Tools").path)
        let files = names.filter { name in
            FileManager.default.isExecutableFile(atPath: RepositoryFile.url("Tools/\(name)").path)
                && (try? RepositoryFile.text("Tools/\(name)")) != nil
        }
        #expect(files.sorted() == Self.scripts)
    }

    @Test(arguments: scripts, ["--help", "-h"])
    func `a script prints its usage, and starts no other work`(script: String, option: String) throws {
        let directory = try ScratchDirectory()
        // Any use of the compiler or of the package manager of the system fails.
        for program in ["swift", "apt-get", "sudo", "pip", "pip3", "python3"] {
            try Data("#!/bin/sh\nexit 99\n".utf8).write(to: directory.file(program))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: directory.path(program))
        }
        let run = try ToolProcess.run(
            executable: URL(filePath: "/usr/bin/env"),
            [
                "PATH=\(directory.url.path):/usr/bin:/bin", RepositoryFile.url("Tools/\(script)").path,
                option,
            ], command: script)
        #expect(run.status == 0 && run.output.hasPrefix("usage: Tools/\(script)"), "\(run)")
    }
}
