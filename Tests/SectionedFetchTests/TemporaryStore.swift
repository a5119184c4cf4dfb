import Foundation
import SectionedFetch

/// A store and a cache directory for one test, which are deleted with this object.
class TemporaryStore {
    let url: URL
    let container: PersistentContainer
    let caches: SectionCacheStore

    init(_ model: ManagedObjectModel, options: StoreOptions = StoreOptions()) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sectioned-fetch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        container = try PersistentContainer(
            url: url.appending(path: "store.sqlite"), model: model, options: options)
        caches = SectionCacheStore(directory: url.appending(path: "caches"))
    }

    deinit {
        caches.waitForWrites()
        try? FileManager.default.removeItem(at: url)
    }

    /// Runs commands in the `sqlite3` shell, which represents another program.
    func runElsewhere(_ commands: String...) throws {
        try ForeignProgram.run(commands, store: url.appending(path: "store.sqlite"))
    }
}

/// The `sqlite3` shell, which does not use the library.
enum ForeignProgram {
    /// Runs commands on a store.
    ///
    /// - Returns: The output of the shell.
    /// - Throws: ``ForeignProgramError`` if a command fails.
    @discardableResult
    static func run(_ commands: [String], store: URL) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-bail", "-cmd", ".timeout 10000", store.path] + commands
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ForeignProgramError(status: process.terminationStatus)
        }
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}

struct ForeignProgramError: Error { let status: Int32 }
