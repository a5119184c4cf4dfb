import Foundation
import CheckSupport
import Testing

/// `cache-inspector --isolated` gives the same output from a copy, and changes nothing.
@Suite struct InspectorIsolationTests {
    private static let request = ["--group-by", "language", "--sort", "language,title"]

    /// Returns a store with an entry for one list.
    private func storeWithCache() throws -> BookStore {
        let store = try BookStore()
        let run = try ToolProcess.run(
            "library-browser",
            [store.path, "--cache-directory", store.caches, "--entity", "Book", "--cache", "books"]
                + Self.request)
        try #require(run.status == 0, "\(run)")
        return store
    }

    /// Runs the inspector with its own temporary directory, and checks that nothing stays there and that the
    /// caches do not change.
    private func inspect(
        _ store: BookStore, _ arguments: [String], environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ToolRun {
        let temporary = try ScratchDirectory()
        let before = try ScratchDirectory.contents(of: URL(filePath: store.caches))
        let run = try ToolProcess.run(
            "cache-inspector", arguments + ["--cache-directory", store.caches, "--isolated"],
            environment: environment.merging(["TMPDIR": temporary.url.path]) { $1 })
        let left = try FileManager.default.contentsOfDirectory(atPath: temporary.url.path)
        #expect(left == [], "\(run)", sourceLocation: sourceLocation)
        #expect(
            try ScratchDirectory.contents(of: URL(filePath: store.caches)) == before, "\(run)",
            sourceLocation: sourceLocation)
        return run
    }

    private func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test(arguments: [
        ["list"], ["list", "--json"], ["show", "books", "--sections"], ["verify"], ["verify", "--", "books"],
    ])
    func `the output for caches that others may write to is the same as for safe ones`(arguments: [String])
        throws
    {
        let store = try storeWithCache()
        let options = ["--cache-directory", store.caches]
        // Options come before a “--”.
        let plain = try ToolProcess.run(
            "cache-inspector", [arguments[0]] + options + arguments.dropFirst())
        try #require(plain.status == 0 && plain.output.contains("books"), "\(plain)")
        try setMode(0o777, store.caches)
        try ToolProcess.run("cache-inspector", [arguments[0]] + options + arguments.dropFirst())
            .expectRefusal(saying: "others may write to it")
        let isolated = try ToolProcess.run(
            "cache-inspector", [arguments[0]] + options + ["--isolated"] + arguments.dropFirst())
        #expect(isolated.status == 0 && isolated.errors == "", "\(isolated)")
        #expect(isolated.output == plain.output)
    }

    @Test func `verify and explain compare a copy with the store`() throws {
        let store = try storeWithCache()
        let request = ["books", "--store", store.path, "--entity", "Book"] + Self.request
        let run = try inspect(store, ["verify"] + request)
        #expect(run.status == 0 && run.output.contains("equal"), "\(run)")
        let explained = try inspect(
            store, ["explain", "--cache", "books", "--store", store.path, "--entity", "Book"] + Self.request)
        #expect(explained.output.contains("answer   hit: 40 rows"), "\(explained)")
    }

    @Test func `the output names the given directory, not the copy`() throws {
        let store = try storeWithCache()
        #expect(try inspect(store, ["stats"]).output.contains("directory     \(store.caches)\n"))
        try inspect(store, ["show", "nothing"]).expectRefusal(
            saying: "in “\(store.caches)”", "Available: “books”")
    }

    @Test func `damage is reported as without isolation`() throws {
        let store = try storeWithCache()
        let file = URL(filePath: store.caches + "/data.mdb")
        var bytes = try Data(contentsOf: file)
        let found = try #require(bytes.firstRange(of: Data("Czech".utf8)))
        bytes[found.lowerBound] = UInt8(ascii: "X")
        try bytes.write(to: file)
        let run = try inspect(store, ["verify"])
        #expect(run.status == 1 && run.output.contains("DAMAGED"), "\(run)")
        #expect(run.errors == "cache-inspector: 1 entry is damaged or wrong.\n")
    }

    @Test(.disabled(if: Sanitizer.isUsed, "the sanitizer handles the signal that must end the process"))
    func `caches that end the process that reads them are reported`() throws {
        let store = try storeWithCache()
        // Without the check of its structure, a truncated file is read beyond its end.
        try #require(truncate(store.caches + "/data.mdb", 8_192) == 0)
        let run = try inspect(store, ["list"], environment: ["SECTIONED_FETCH_MUTANT": "noValidator"])
        #expect(run.status == 1 && run.output == "", "\(run)")
        #expect(run.errors.contains("“\(store.caches)” was ended by a signal"), "\(run)")
        #expect(run.errors.contains("signal"), "\(run)")
        try inspect(store, ["list"]).expectRefusal(saying: "damaged")
    }

    @Test func `links, pipes and directories instead of a data file are reported and left alone`() throws {
        let store = try storeWithCache()
        let file = store.caches + "/data.mdb"
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: store.path)
        let contents = try Data(contentsOf: URL(filePath: store.path))
        try inspect(store, ["list"]).expectRefusal(saying: "“\(file)” is a link")
        #expect(try Data(contentsOf: URL(filePath: store.path)) == contents)
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        try inspect(store, ["list"]).expectRefusal(saying: "“\(file)” is not a file")
        try FileManager.default.removeItem(atPath: file)
        try #require(mkfifo(file, 0o600) == 0)
        let run = try ToolProcess.run(
            "cache-inspector", ["list", "--isolated", "--cache-directory", store.caches])
        run.expectRefusal(saying: "“\(file)” is not a file")
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal ends the inspector, and nothing is left of the copy`(signal: Int32) throws {
        let store = try storeWithCache()
        // The file takes seconds to copy, so that the signal arrives early in the copy.
        try #require(truncate(store.caches + "/data.mdb", 3 << 30) == 0)
        let temporary = try ScratchDirectory()
        let process = Process()
        process.executableURL = URL(filePath: try ToolProcess.path("cache-inspector"))
        process.arguments = ["list", "--isolated", "--cache-directory", store.caches]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["TMPDIR": temporary.url.path]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let end = ContinuousClock.now + .seconds(60)
        while try FileManager.default.subpathsOfDirectory(atPath: temporary.url.path).count < 2 {
            try #require(process.isRunning && ContinuousClock.now < end)
            usleep(500)
        }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 128 + signal)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path) == [])
    }

    @Test func `a missing directory has no caches`() throws {
        let store = try BookStore()
        let run = try store.inspect("list", "--isolated")
        #expect(run.status == 0 && run.output == "There are no caches.\n", "\(run)")
        #expect(!FileManager.default.fileExists(atPath: store.caches))
    }

    @Test func `delete does not accept --isolated`() throws {
        let store = try storeWithCache()
        #expect(try store.inspect("delete", "books", "--isolated").status == 64)
        #expect(try store.inspect("list").output.contains("books"))
    }
}
