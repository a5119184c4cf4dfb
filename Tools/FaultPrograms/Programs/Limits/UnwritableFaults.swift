import Foundation
import SeededBugs
import TestSupport

/// Stores on read-only file systems and full disks, with and without a log: all committed rows are listed.
enum UnwritableFaults: FaultProgram {
    static let name = "unwritable-stores"
    static let rows = ["A-40"]
    static let summary =
        "lists stores on read-only file systems and full disks, with and without a log and its index"
    static let releaseCount = 200
    static let bugs: [SeededBug] = [.logPassedOver]
    static let huntCount = 12

    static func run(_ run: inout FaultRun) throws {
        try Namespaces.require(Namespaces.mounting)
        for trial in 0..<run.count {
            let end = try run.child(
                ["\(run.seed &+ UInt64(trial))", run.folder.appending(path: "\(trial)").path],
                launcher: Namespaces.mounting)
            guard end.status == 0, let outcome = FaultOutcome(rawValue: end.output) else {
                throw FaultFinding("trial \(trial): \(end)")
            }
            run.note(outcome)
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 2, let seed = UInt64(arguments[0]) else {
            throw FaultFinding("\(arguments)")
        }
        var generator = SeededGenerator(seed: seed)
        let folder = URL(filePath: arguments[1])
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = folder.appending(path: "made")
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        let expected = try makeStore(at: made.appending(path: "a.store"), using: &generator)
        let place = folder.appending(path: "place")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        if Bool.random(using: &generator) {
            try Namespaces.mountReadOnly(made.path, at: place.path)
        } else {
            try Namespaces.mount("tmpfs", at: place.path, options: "size=1024k,mode=700")
            for name in try FileManager.default.contentsOfDirectory(atPath: made.path) {
                try FileManager.default.copyItem(
                    at: made.appending(path: name), to: place.appending(path: name))
            }
            FaultDisk.memory(kibibytes: 1_024).fill(
                place.path, leaving: Int.random(in: 0...3, using: &generator))
        }
        defer { Namespaces.unmount(place.path) }
        let cache =
            Bool.random(using: &generator)
            ? ["--cache", "c", "--cache-directory", folder.appending(path: "caches").path] : []
        let run = try ToolRun(
            "library-browser",
            [place.appending(path: "a.store").path, "--entity", "Song", "--rows", "1000", "--json"] + cache,
            folder: folder)
        guard run.status == 0 else { throw FaultFinding("the store is not listed: \(run.errors)") }
        let found = run.output.components(separatedBy: marker).count - 1
        guard found == expected else { throw FaultFinding("\(found) rows of \(expected): \(run.output)") }
        print(FaultOutcome.right.rawValue, terminator: "")
    }

    /// In the title of each row, once.
    private static let marker = "number "

    /// Makes a store, and leaves rows in its log, or none.
    ///
    /// - Returns: How many rows have the marker.
    private static func makeStore(at url: URL, using generator: inout SeededGenerator) throws -> Int {
        let original = url.deletingLastPathComponent().deletingLastPathComponent().appending(path: "original")
        try SampleStore.make(at: original)
        let statements = ["UPDATE Song SET title = '\(marker)' || objectID"]
        // A shell that is ended by a signal leaves the log and its index.
        let logged = Bool.random(using: &generator)
        let end = logged ? ".shell kill -KILL $PPID" : ".quit"
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", original.path]
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        input.fileHandleForWriting.write(Data((statements.joined(separator: ";\n") + ";\n\(end)\n").utf8))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        let index = Bool.random(using: &generator)
        for suffix in ["", "-wal", "-shm"] where suffix != "-shm" || index {
            let source = original.path + suffix
            guard FileManager.default.fileExists(atPath: source) else {
                if suffix == "-wal", logged { throw FaultFinding("the shell left no log") }
                continue
            }
            try FileManager.default.copyItem(atPath: source, toPath: url.path + suffix)
        }
        return 60
    }
}
