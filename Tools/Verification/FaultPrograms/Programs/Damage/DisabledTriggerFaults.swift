import Foundation
import SectionedFetch
import Mutants
import CheckSupport

/// Changes by a connection that has switched triggers off, which leaves the version stamps as they are.
///
/// The token does not detect them. Fetches that verify the number of rows, or all rows, do.
enum DisabledTriggerFaults: FaultProgram {
    static let name = "disabled-triggers"
    static let rows = ["A-22"]
    static let summary =
        "changes rows with the triggers switched off, and fetches at each level of verification"
    static let releaseCount = 500
    static let mutants: [Mutant] = [.verificationIgnored]

    private static let kinds = ["a", "b", "c", "d"]

    static func run(_ run: inout FaultRun) throws {
        let store = run.folder.appending(path: "items.sqlite")
        let list = VerifiedList(store: store, caches: run.folder.appending(path: "caches"))
        var generator = SeededGenerator(seed: run.seed)
        try list.make(
            rows: (0..<200).map { number in
                ("title \(number % 50)", Self.kinds.randomElement(using: &generator) ?? "a")
            })
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            run.note(try Self.trial(list, using: &generator))
        }
    }

    private static func trial(
        _ list: VerifiedList, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        for _ in 0..<2 { _ = try list.fetch(.token) }
        let before = try list.stored()
        let change = [
            "INSERT INTO Item (title, kind) VALUES ('new', 'b')",
            "DELETE FROM Item WHERE objectID IN (SELECT objectID FROM Item ORDER BY random() LIMIT 1)",
            "UPDATE Item SET kind = 'c' WHERE objectID IN (SELECT objectID FROM Item WHERE kind <> 'c' ORDER BY random() LIMIT 3)",
            "UPDATE Item SET title = title || 'x' WHERE objectID % 7 = 0",
            "SELECT 1",
        ].randomElement(using: &generator)
        try list.runShell([".dbconfig enable_trigger off", change ?? "SELECT 1"])
        let stored = try list.stored()
        let counting = try list.fetch(.count)
        if stored.count != before.count, counting.rows != stored || !counting.isContradicted {
            throw FaultFinding("\(change ?? ""): verifying the count does not detect it: \(counting.lookup)")
        }
        let full = try list.fetch(.full)
        guard full.rows == stored else {
            throw FaultFinding("\(change ?? ""): \(full.lookup), and wrong rows")
        }
        // The fetch before this one may have detected it and replaced the entry.
        let mustBeDetected = stored != before && stored.count == before.count
        guard full.isContradicted == mustBeDetected else {
            throw FaultFinding("\(change ?? ""): full verification gives \(full.lookup)")
        }
        // The outdated entry has been replaced.
        let last = try list.fetch(.token)
        guard last.rows == stored, last.isHit else {
            throw FaultFinding("\(change ?? ""): the next fetch gives \(last.lookup)")
        }
        return stored == before ? .right : .missed
    }
}

/// A list of a store, of which the `sqlite3` shell changes and reads the rows as well.
struct VerifiedList {
    let store: URL
    let caches: URL

    /// A row by its section and its key.
    struct Row: Hashable {
        let kind: String
        let key: Int64
    }

    /// The result of a fetch.
    struct Fetched {
        let rows: [Row]
        let lookup: CacheLookup

        var isHit: Bool { if case .hit = lookup { true } else { false } }
        var isContradicted: Bool { if case .miss(.contradicted) = lookup { true } else { false } }
    }

    private func container() throws -> PersistentContainer {
        try PersistentContainer(
            url: store,
            model: ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Item",
                    attributes: [
                        AttributeDescription(name: "title", type: .string),
                        AttributeDescription(name: "kind", type: .string),
                    ])
            ]))
    }

    func make(rows: [(title: String, kind: String)]) throws {
        try container().write { writer in
            let table = try writer.table("Item")
            for row in rows { _ = try table.insert([.text(row.title), .text(row.kind)]) }
        }
    }

    /// Fetches the list, as a new start of a program does.
    func fetch(_ level: CacheVerificationLevel) throws -> Fetched {
        var request = FetchRequest<ManagedObject>(entityName: "Item")
        request.sortDescriptors = [.ascending("kind"), .ascending("title")]
        let controller = try FetchedResultsController(
            fetchRequest: request, context: container().newContext(), sectionNameKeyPath: "kind",
            cacheName: "items", cacheStore: SectionCacheStore(directory: caches))
        controller.cacheVerificationLevel = level
        try controller.performFetch()
        guard controller.cacheStore.waitForWrites(upTo: 20), let lookup = controller.cacheLookup,
            let objects = controller.fetchedObjects, let sections = controller.sections
        else {
            throw FaultFinding("a fetch has no results or no look-up, or its save does not end")
        }
        let keys = objects.map { $0.objectID.primaryKey ?? 0 }
        var rows: [Row] = []
        for section in sections {
            for key in keys.dropFirst(rows.count).prefix(section.numberOfObjects) {
                rows.append(Row(kind: section.name, key: key))
            }
        }
        guard rows.count == keys.count else {
            throw FaultFinding("the sections have another number of rows than the results")
        }
        return Fetched(rows: rows, lookup: lookup)
    }

    /// Returns the rows of the store as the shell reads them.
    func stored() throws -> [Row] {
        try runShell(["SELECT kind, objectID FROM Item ORDER BY kind, title, objectID"])
            .split(separator: "\n").map { line in
                let fields = line.split(separator: "|")
                guard fields.count == 2, let key = Int64(fields[1]) else {
                    throw FaultFinding("the shell prints “\(line)”")
                }
                return Row(kind: String(fields[0]), key: key)
            }
    }

    @discardableResult
    func runShell(_ commands: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-batch", "-bail", "-cmd", ".timeout 10000", store.path] + commands
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // Status 127 of env means that the program was not found.
        if process.terminationStatus == 127 { throw FaultSkipped("the sqlite3 shell is not installed") }
        guard process.terminationStatus == 0 else { throw FaultFinding("the shell fails on \(commands)") }
        return String(decoding: data, as: UTF8.self)
    }
}
