import Foundation

/// An action of a tool on the sample of a trial, and the check of its result.
enum ToolTask: CaseIterable {
    case list, listWithNewCache, listWithCache, importing, listCaches, explain, verify

    /// Returns the tool's name and its arguments.
    func command(in folder: URL) -> (tool: String, arguments: [String]) {
        let store = folder.appending(path: "a.store").path
        let caches = ["--cache-directory", folder.appending(path: "caches").path]
        let list = [store, "--entity", "Song", "--group-by", "genre", "--json"]
        let other = ["--cache-directory", folder.appending(path: "new caches").path]
        return switch self {
        case .list: ("library-browser", list)
        case .listWithNewCache: ("library-browser", list + ["--cache", "c"] + other)
        case .listWithCache: ("library-browser", list + ["--cache", "c"] + caches)
        case .importing:
            (
                "library-import",
                [
                    folder.appending(path: "songs.csv").path, folder.appending(path: "new.store").path,
                    "--entity", "Song",
                ]
            )
        case .listCaches: ("cache-inspector", ["list"] + caches)
        case .explain: ("cache-inspector", ["explain", "--cache", "c", "--store", store] + caches)
        case .verify: ("cache-inspector", ["verify", "c", "--store", store] + caches)
        }
    }

    /// Creates the files of all tasks: a store, a cache of it, and a file to import.
    static func prepare(_ folder: URL) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try SampleStore.make(at: folder.appending(path: "a.store"))
        let rows = (0..<importedRows).map { "title \($0),\($0 % 3)\n" }
        try Data(("title,year\n" + rows.joined()).utf8).write(to: folder.appending(path: "songs.csv"))
        let (tool, arguments) = listWithCache.command(in: folder)
        let run = try ToolRun(tool, arguments, folder: folder)
        guard run.status == 0 else { throw FaultFinding("cannot create a cache: \(run.errors)") }
    }

    static let importedRows = 50

    /// Runs the tool and checks that it ends in time, with the right result or with an error message.
    ///
    /// - Parameters:
    ///   - limits: Commands that a shell runs before the tool.
    ///   - truth: The sections that `list` prints without limits.
    ///   - trial: The name of the trial.
    func run(in folder: URL, under limits: String, truth: String, _ trial: String) throws -> FaultOutcome {
        for suffix in ["", "-wal", "-shm"] { unlink(folder.appending(path: "new.store\(suffix)").path) }
        try? FileManager.default.removeItem(at: folder.appending(path: "new caches"))
        let (tool, arguments) = command(in: folder)
        // Long enough for a busy machine. A tool that waits for a resource never ends.
        let run = try ToolRun(tool, arguments, folder: folder, limits: limits, timeLimit: 20)
        let title = "\(trial), \(self)"
        // The system cannot load a program with this limit.
        if run.status == 127 || run.errors.contains("error while loading shared libraries") { return .off }
        guard let status = run.status, [0, 1, 2].contains(status) else {
            throw FaultFinding("\(title): \(run.status.map { "status \($0)" } ?? "a crash"): \(run.errors)")
        }
        guard status == 0 else {
            guard run.errors.hasPrefix("\(tool): "), !run.errors.contains("Fatal error") else {
                throw FaultFinding("\(title): \(run.errors)")
            }
            return .refused
        }
        switch self {
        case .list, .listWithNewCache, .listWithCache:
            guard try Self.sections(run.output) == truth else {
                throw FaultFinding("\(title): \(run.output) is not \(truth)")
            }
        case .importing:
            let count = try SQLiteShell.run(
                ["SELECT count(*) FROM Song"], on: folder.appending(path: "new.store"))
            guard count == "\(Self.importedRows)\n" else {
                throw FaultFinding("\(title): \(count ?? "no") rows")
            }
        case .listCaches, .explain, .verify: break
        }
        return .right
    }

    /// Returns the sections and rows of a JSON listing, without times and without the cache.
    static func sections(_ json: String) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        guard let sections = object?["sections"] else { throw FaultFinding("no sections in \(json)") }
        return String(
            decoding: try JSONSerialization.data(withJSONObject: sections, options: .sortedKeys),
            as: UTF8.self)
    }
}
