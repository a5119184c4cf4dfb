#if os(Linux)
import Foundation
import CheckSupport
import Testing

/// Tools with few file descriptors, without threads, and with stores that cannot be written.
@Suite struct ShortageTests {
    private func library(_ directory: ScratchDirectory) throws -> String {
        let input = directory.path("books.csv")
        let rows = (0..<30).map { "title \($0),\($0 % 3 + 1900)\n" }
        try Data(("title,year\n" + rows.joined()).utf8).write(to: URL(filePath: input))
        let store = directory.path("books.sqlite")
        let run = try ToolProcess.run("library-import", [input, store, "--entity", "Book"])
        try #require(run.status == 0, "\(run)")
        return store
    }

    private func run(
        under limits: String, _ tool: String, _ arguments: [String], timeLimit: Double = 30
    ) throws -> ToolRun {
        try ToolProcess.run(
            executable: URL(filePath: "/bin/sh"),
            ["-c", "\(limits); exec \"$0\" \"$@\"", try ToolProcess.path(tool)] + arguments,
            environment: ["SWIFT_BACKTRACE": "enable=no"], command: tool, timeLimit: timeLimit)
    }

    @Test(
        .disabled(if: Sanitizer.isUsed, "the sanitizer needs the addresses that the stacks would take"),
        arguments: [false, true])
    func `a listing completes without threads`(usesCache: Bool) throws {
        let directory = try ScratchDirectory()
        let store = try library(directory)
        let cache = usesCache ? ["--cache", "c", "--cache-directory", directory.path("caches")] : []
        let listing = try run(under: "ulimit -s 200000000000", "library-browser", [store] + cache)
        #expect(listing.status == 0, "\(listing)")
        #expect(listing.output.contains("30 rows"), "\(listing)")
        if usesCache { #expect(listing.output.contains("no thread"), "\(listing)") }
    }

    @Test(arguments: 8...24)
    func `a cache takes no descriptor that the store needs`(count: Int) throws {
        let directory = try ScratchDirectory()
        let store = try library(directory)
        let plain = try run(under: "ulimit -n \(count)", "library-browser", [store])
        let cached = try run(
            under: "ulimit -n \(count)", "library-browser",
            [store, "--cache", "c", "--cache-directory", directory.path("caches")])
        #expect(plain.status == 0, "\(plain)")
        #expect(cached.status == 0, "\(cached)")
    }

    @Test func `a shortage of descriptors is reported`() throws {
        let directory = try ScratchDirectory()
        let store = try library(directory)
        for tool in [
            ["library-browser", store], ["cache-inspector", "explain", "--cache", "c", "--store", store],
        ] {
            try run(under: "ulimit -n 4", tool[0], Array(tool[1...])).expectRefusal(
                saying: "too few file descriptors")
        }
    }

    @Test(arguments: ["> /dev/full", ">&-"])
    func `an import whose summary cannot be printed reports that the rows are committed`(output: String)
        throws
    {
        let directory = try ScratchDirectory()
        let store = try library(directory)
        let run = try ToolProcess.run(
            executable: URL(filePath: "/bin/sh"),
            [
                "-c", "exec \"$0\" \"$@\" \(output)", try ToolProcess.path("library-import"),
                directory.path("books.csv"), store, "--entity", "Book", "--no-key", "--again",
            ], command: "library-import")
        #expect(run.status == 3, "\(run)")
        #expect(run.errors.contains("its rows are committed: 30 inserted"), "\(run)")
        let listing = try ToolProcess.run("library-browser", [store])
        #expect(listing.output.contains("60 rows"), "\(listing)")
    }

    @Test(.enabled(if: MountSandbox.isAvailable, MountSandbox.reason), arguments: [false, true])
    func `a store on a read-only file system is listed with the rows that are only in its log`(hasLog: Bool)
        throws
    {
        let directory = try ScratchDirectory()
        let store = try library(directory)
        if hasLog {
            // A signal ends the shell, which leaves the log behind.
            _ = try ToolProcess.run(
                executable: URL(filePath: "/bin/sh"),
                [
                    "-c",
                    "printf '%s\\n' \"DELETE FROM Book WHERE objectID > 20;\" '.shell kill -KILL $PPID' | sqlite3 \"$0\"; rm \"$0-shm\"",
                    store,
                ])
            #expect(FileManager.default.fileExists(atPath: store + "-wal"))
        }
        let script = """
            mount --bind "$1" "$1"
            mount -o remount,ro,bind "$1"
            "$2" "$3"
            """
        let run = try MountSandbox.run(
            script, [directory.url.path, try ToolProcess.path("library-browser"), store])
        #expect(run.status == 0, "\(run)")
        #expect(run.output.contains(hasLog ? "20 rows" : "30 rows"), "\(run)")
    }

    @Test(.enabled(if: MountSandbox.isAvailable, MountSandbox.reason))
    func `a store on a full disk is listed, and an import into it reports the full disk`() throws {
        let directory = try ScratchDirectory()
        let store = try library(directory)
        let script = """
            mount -t tmpfs -o size=300k none "$1"
            cp "$2" "$1/a.sqlite"
            dd if=/dev/zero of="$1/fill" bs=1k 2> /dev/null || true
            "$3" "$1/a.sqlite"
            "$4" "$5" "$1/a.sqlite" --entity Book --no-key --again || echo "status $?"
            """
        let disk = directory.path("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let run = try MountSandbox.run(
            script,
            [
                disk, store, try ToolProcess.path("library-browser"), try ToolProcess.path("library-import"),
                directory.path("books.csv"),
            ])
        #expect(run.output.contains("30 rows"), "\(run)")
        #expect(run.output.contains("status 2"), "\(run)")
        #expect(run.errors.contains("The disk is full"), "\(run)")
    }
}
#endif
