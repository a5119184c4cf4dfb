import Foundation
import Testing

/// Manual pages, completions, and `Tools/build --install`.
@Suite struct InstallationTests {
    private let directory: ScratchDirectory
    private static let tools = ["cache-inspector", "library-browser", "library-import", "model-tool"]

    init() throws { directory = try ScratchDirectory() }

    private func bash(_ script: String, _ arguments: String...) throws -> ToolRun {
        try bash(script, arguments: arguments)
    }

    private func bash(_ script: String, arguments: [String]) throws -> ToolRun {
        try ToolProcess.run(
            executable: URL(filePath: "/usr/bin/env"), ["bash", "-c", script, "bash"] + arguments,
            command: "bash")
    }

    @Test func `each tool and command has a manual page and completions`() throws {
        for tool in Self.tools {
            let run = try ToolProcess.run(tool, ["--generate-manual", directory.url.path])
            #expect(run.status == 0 && run.output == "", "\(run)")
            let help = try ToolProcess.run(tool, ["--help"]).output
            let page = try String(contentsOf: directory.file("\(tool).1"), encoding: .utf8)
            #expect(page.hasPrefix(".TH \"\(tool.uppercased().replacing("-", with: "\\-"))\" 1"))
            // Each command that the help lists has a page.
            let commands = help.split(separator: "SUBCOMMANDS:").dropFirst().joined().split(separator: "\n")
                .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.hasPrefix("  See ") }
                .compactMap { $0.split(separator: " ").first }
            for command in commands {
                let file = directory.file("\(tool)-\(command).1")
                #expect(FileManager.default.fileExists(atPath: file.path), "\(tool) \(command)")
            }
            for shell in ["bash", "zsh", "fish"] {
                let script = try ToolProcess.run(tool, ["--generate-completion-script", shell])
                #expect(script.status == 0 && script.output.contains(tool), "\(script)")
                guard shell == "bash" else { continue }
                try Data(script.output.utf8).write(to: directory.file("script"))
                #expect(try bash("bash -n \"$1\"", directory.path("script")).status == 0)
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(names.contains("library-import-export.1"))
        let formatted = try bash(
            "command -v groff >/dev/null || exit 0; cd -- \"$1\"; for page in *.1; do groff -man -Tutf8 -ww -z \"$page\"; done",
            directory.url.path)
        #expect(formatted.status == 0 && formatted.errors == "", "\(formatted)")
        try ToolProcess.run("model-tool", ["--generate-manual"]).expectRefusal(saying: "needs the path")
        try ToolProcess.run("model-tool", ["--generate-manual", directory.path("none")])
            .expectRefusal(saying: "cannot be written")
    }

    @Test(arguments: [
        (["imp"], "import"), (["Bo"], "Book.csv"), (["Book.csv", "st"], "store"),
        (["Book.csv", "store", "--rej"], "--rejects"),
        (["Book.csv", "store", "--on-error", "s"], "skip stop"),
        (["--from", "Bo"], "Book.csv"), (["--from", "store", "new", "--resta"], "--restart"),
        (["undo", "store", "--keep"], "--keep-changed"), (["--at", "x", "Bo"], "Book.csv"),
    ])
    func `Bash completes a command line without a command as well`(words: [String], expected: String) throws {
        let script = try ToolProcess.run("library-import", ["--generate-completion-script", "bash"])
        try Data(script.output.utf8).write(to: directory.file("script"))
        for name in ["Book.csv", "store"] { try Data().write(to: directory.file(name)) }
        let run = try bash(
            """
            cd -- "$1"; shift; source ./script
            COMP_WORDS=(library-import "$@"); COMP_CWORD=$#; COMP_LINE="library-import $*"; COMP_POINT=${#COMP_LINE}
            command=$(complete -p library-import); command=${command##*-F }; "${command%% *}" library-import "${@: -1}" "${@: -2:1}"
            printf '%s\n' "${COMPREPLY[@]}" | sort -u | tr '\n' ' '
            """, arguments: [directory.url.path] + words)
        #expect(run.output.trimmingCharacters(in: .whitespacesAndNewlines) == expected, "\(run)")
    }

    /// Makes programs that answer as the tools do.
    private func makePrograms(version: String, failing: String? = nil) throws {
        try? FileManager.default.createDirectory(
            at: directory.file("build"), withIntermediateDirectories: false)
        for tool in Self.tools {
            let script = """
                #!/bin/sh
                \(tool == failing ? "case $1 in --generate-completion-script) [ \"$2\" = fish ] && exit 2;; esac" : "")
                case $1 in
                --generate-manual) echo page >"$2/\(tool).1"\(tool == "library-browser" ? "" : "; echo page >\"$2/\(tool)-\(version).1\"");;
                *) echo \(tool) \(version) "$@";;
                esac
                """
            try Data(script.utf8).write(to: directory.file("build/\(tool)"))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: directory.path("build/\(tool)"))
        }
    }

    private func install(_ prefix: String, _ action: String = "install_into \"$1\" \"$2\"") throws -> ToolRun
    {
        let tools = RepositoryFile.url("Tools").path
        return try bash(
            "set -euo pipefail; source \"$3/setup.sh\"; source \"$3/install.sh\"; \(action)",
            directory.path("build"), prefix, tools)
    }

    private func files(_ prefix: String) throws -> [String] {
        let found = FileManager.default.enumerator(atPath: prefix)?.compactMap { $0 as? String } ?? []
        return found.filter { path in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(prefix)/\(path)", isDirectory: &isDirectory)
                && !isDirectory.boolValue
        }.sorted()
    }

    @Test func `programs are installed, replaced and removed, below a prefix with blanks`() throws {
        let prefix = directory.path("a prefix 'with' blanks")
        try makePrograms(version: "one")
        let run = try install(prefix)
        #expect(run.status == 0, "\(run)")
        var expected = Self.tools.flatMap {
            [
                "bin/\($0)", "share/man/man1/\($0).1", "share/man/man1/\($0)-one.1",
                "share/bash-completion/completions/\($0)", "share/zsh/site-functions/_\($0)",
                "share/fish/vendor_completions.d/\($0).fish",
            ]
        }
        expected.removeAll { $0.hasSuffix("library-browser-one.1") }
        #expect(try files(prefix) == expected.sorted())
        #expect(try install(prefix).status == 0)
        #expect(try files(prefix) == expected.sorted())
        // A later version without one of the commands.
        try makePrograms(version: "two")
        try Data().write(to: URL(filePath: "\(prefix)/bin/other"))
        #expect(try install(prefix).status == 0)
        #expect(
            try files(prefix)
                == (expected.map { $0.replacing("-one.1", with: "-two.1") } + ["bin/other"]).sorted())
        #expect(
            try ToolProcess.run(executable: URL(filePath: "\(prefix)/bin/model-tool"), ["x"]).output
                == "model-tool two x\n")
        #expect(try install(prefix, "uninstall_from \"$2\"").status == 0)
        #expect(try files(prefix) == ["bin/other"])
        #expect(!FileManager.default.fileExists(atPath: "\(prefix)/share"))
    }

    @Test func `a failure changes nothing`() throws {
        let prefix = directory.path("prefix")
        try makePrograms(version: "one")
        #expect(try install(prefix).status == 0)
        let before = try ScratchDirectory.contents(of: URL(filePath: prefix))
        try makePrograms(version: "two", failing: "model-tool")
        let run = try install(prefix)
        #expect(run.status != 0 && run.errors.contains("Nothing was installed"), "\(run)")
        #expect(try ScratchDirectory.contents(of: URL(filePath: prefix)) == before)
        try makePrograms(version: "two")
        try Data().write(to: directory.file("file"))
        let other = try install(directory.path("file"))
        #expect(other.status != 0 && other.errors.contains("cannot be created"), "\(other)")
        try FileManager.default.removeItem(atPath: directory.path("build/cache-inspector"))
        #expect(try install(prefix).errors.contains("does not exist. Nothing was installed"))
        #expect(try ScratchDirectory.contents(of: URL(filePath: prefix)) == before)
    }
}
