import Foundation
import SectionedFetch
import Testing

/// A directory with a file and the store into which it is imported.
struct LibraryImportFile {
    let directory: ScratchDirectory
    let name: String

    init(_ content: String) throws { try self.init("book.csv", content) }

    init(_ name: String, _ content: String) throws {
        directory = try ScratchDirectory()
        self.name = name
        try write(content)
    }

    /// Replaces the content of the file.
    func write(_ content: String) throws { try Data(content.utf8).write(to: directory.file(name)) }

    var path: String { directory.path(name) }
    var storePath: String { directory.path("library.store") }
    var storeExists: Bool { FileManager.default.fileExists(atPath: storePath) }

    /// Imports the file into the store.
    func run(_ arguments: [String] = []) throws -> ToolRun {
        try ToolProcess.run("library-import", [path, storePath] + arguments)
    }

    /// Imports with this exit status, and returns the counts of the summary.
    func counts(
        _ arguments: [String] = [], status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> LibraryImportCounts {
        let run = try run(arguments + ["--json"])
        try #require(run.status == status, "\(run)", sourceLocation: sourceLocation)
        return try JSONDecoder().decode(LibraryImportCounts.self, from: Data(run.output.utf8))
    }

    /// Writes a mapping file and returns its path.
    func mapping(_ json: String) throws -> String {
        try Data(json.utf8).write(to: directory.file("mapping.json"))
        return directory.path("mapping.json")
    }

    func openStore() throws -> PersistentContainer {
        try PersistentContainer(url: directory.file("library.store"))
    }

    /// Returns the values of some properties of all objects, in the order of their insertion.
    func rows(_ entity: String, _ properties: [String]) throws -> [[StoredValue]] {
        let context = try openStore().newContext()
        let request = FetchRequest<ManagedObject>(
            entityName: entity, predicate: nil, sortDescriptors: [.ascending("objectID")])
        return try context.fetch(request).map { object in
            try properties.map { try object.value(forProperty: $0) }
        }
    }
}

/// The summary that `--json` prints.
struct LibraryImportCounts: Decodable, Equatable {
    var inserted = 0
    var updated = 0
    var unchanged = 0
    var skipped = 0
    var createdRelated = 0
}
