import BenchmarkSupport
import Foundation

/// Creates the stores, and fills the caches for the hits.
struct Preparation {
    let folder: WorkFolder
    let programs: Programs

    /// The version of the stores. Increase it if existing stores must not be used any more.
    private static let version = 2

    func storeName(_ store: Store) -> String {
        "songs-\(Self.version)-\(store.rows)-\(store.sections).sqlite"
    }

    func storePath(_ store: Store) -> String { folder.path(storeName(store)) }

    /// Returns the path of a directory that has the cache of one question and nothing else, so that the C
    /// program need not search.
    func cachesPath(_ store: Store, _ question: Question) -> String {
        folder.path("caches-\(Self.version)-\(store.rows)-\(store.sections)-\(question.rawValue)")
    }

    /// Creates a store unless it exists, and runs each question once to fill its cache.
    func prepare(_ store: Store, questions: [Question]) throws {
        if !folder.exists(storeName(store)) {
            Progress.note("Creating a store of \(store.rows) songs in \(store.sections) sections …")
            let unfinished = "unfinished-" + storeName(store)
            try folder.removeDatabase(unfinished)
            _ = try ChildProcess.run(
                programs.sample,
                ["prepare", folder.path(unfinished), String(store.rows), String(store.sections)])
            // The program has closed the database, so this file is complete.
            try FileManager.default.moveItem(atPath: folder.path(unfinished), toPath: storePath(store))
        }
        for question in questions {
            _ = try ChildProcess.run(
                programs.sample,
                [
                    "controller", question.rawValue, storePath(store), cachesPath(store, question), "fill",
                ])
        }
    }

    /// Returns the SQL of a miss.
    func sql(_ question: Question, _ store: Store) throws -> String {
        let output = try ChildProcess.run(programs.sample, ["sql", question.rawValue, storePath(store)])
            .output
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
