import Foundation
import Testing

/// Tools that are linked statically need nothing of the system: no library, no user database, no home.
@Suite(.enabled(if: ReleasedTool.areStatic, ReleasedTool.reason))
struct StaticToolTests {
    /// Makes the root of a file system that contains only the tools, a CSV file and a model.
    private func root() throws -> ScratchDirectory {
        let root = try ScratchDirectory()
        for name in ReleasedTool.names {
            try ProgramFile.copy(ReleasedTool.url(name), to: root.file(name))
        }
        let rows = (0..<200).map { "\($0),Title \($0),\(["German", "Czech", "日本語"][$0 % 3])\n" }
        try FileManager.default.createDirectory(at: root.file("data"), withIntermediateDirectories: false)
        try Data(("id,title,language\n" + rows.joined()).utf8).write(to: root.file("data/books.csv"))
        try FileManager.default.copyItem(
            at: RepositoryFile.url("Tests/ModelReadingTests/Resources/Tour.xcdatamodeld"),
            to: root.file("data/Tour.xcdatamodeld"))
        return root
    }

    /// Checks an import, a list that is a miss, a list that is a hit, the inspection of its cache, and the
    /// reading of a model's source.
    ///
    /// - Parameter run: Runs a tool with arguments.
    private func check(_ run: (String, [String]) throws -> ToolRun) throws {
        let imported = try run("library-import", ["data/books.csv", "data/books.store", "--entity", "Book"])
        #expect(imported.status == 0 && imported.output.hasPrefix("200 inserted"), "\(imported)")
        let list = [
            "data/books.store", "--entity", "Book", "--group-by", "language", "--sort",
            "language,title:localized=en", "--cache", "books", "--cache-directory", "data/caches",
        ]
        let runs = try (0..<2).map { _ in try run("library-browser", list) }
        #expect(runs.allSatisfy { $0.status == 0 && $0.output.contains("日本語") }, "\(runs)")
        #expect(runs[0].output.contains(": miss") && runs[1].output.contains(": hit"), "\(runs)")
        let shown = try run("cache-inspector", ["show", "books", "--cache-directory", "data/caches"])
        #expect(shown.status == 0 && shown.output.contains("Book"), "\(shown)")
        let model = try run("model-tool", ["show", "data/Tour.xcdatamodeld"])
        #expect(model.status == 0 && model.output.contains("abstract"), "\(model)")
    }

    @Test(.enabled(if: MountSandbox.isAvailable, MountSandbox.reason))
    func `each tool runs in an empty root file system`() throws {
        let root = try root()
        try check { tool, arguments in
            try MountSandbox.run(
                #"cd "$1"; tool=$2; shift 2; unset HOME; exec chroot . "/$tool" "$@""#,
                [root.url.path, tool] + arguments)
        }
    }

    @Test func `each tool runs without variables`() throws {
        let root = try root()
        try check { tool, arguments in
            try ToolProcess.run(
                executable: URL(filePath: "/usr/bin/env"),
                ["-i", "-C", root.url.path, root.path(tool)] + arguments, command: tool)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "SKIPPED: only root can run a program as another user."))
    func `each tool runs as a user whom no database knows`() throws {
        let root = try root()
        let number = "54321"
        for path in [root.url.path, root.path("data"), root.path("data/books.csv")] {
            try #require(chown(path, 54_321, 54_321) == 0)
        }
        try check { tool, arguments in
            try ToolProcess.run(
                executable: URL(filePath: "/usr/bin/env"),
                [
                    "-i", "-C", root.url.path, "setpriv", "--reuid", number, "--regid", number,
                    "--clear-groups",
                ]
                    + [root.path(tool)] + arguments, command: tool)
        }
    }

    @Test func `without XDG_CACHE_HOME and HOME caches are below TMPDIR`() throws {
        let root = try root()
        let imported = try ToolProcess.run(
            executable: ReleasedTool.url("library-import"),
            [root.path("data/books.csv"), root.path("data/books.store"), "--entity", "Book"])
        #expect(imported.status == 0, "\(imported)")
        let list = [
            "-i", "TMPDIR=" + root.path("data"), root.path("library-browser"), root.path("data/books.store"),
            "--entity", "Book", "--cache", "books",
        ]
        let run = try ToolProcess.run(executable: URL(filePath: "/usr/bin/env"), list)
        let file = root.path("data/cache-\(geteuid())/library-browser/section-caches/data.mdb")
        #expect(run.status == 0 && FileManager.default.fileExists(atPath: file), "\(run)")
    }
}
