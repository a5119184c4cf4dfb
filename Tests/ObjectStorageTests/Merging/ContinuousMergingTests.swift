import Foundation
import ObjectStorage
import CheckSupport
import Testing

/// A context that merges continuously follows the commits of other contexts and programs.
@Suite(.timeLimit(.minutes(30))) @MainActor struct ContinuousMergingTests {
    let library: Library
    let context: ManagedObjectContext
    let works: [Work]

    init() throws {
        library = try Library()
        let context = library.container.newContext()
        self.context = context
        works = (0..<3).map { _ in Work(context: context) }
        try context.save()
    }

    private func wait(until condition: () throws -> Bool) async throws {
        while try !condition() { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test func `objects change without a call that merges`() async throws {
        let merging = Task { await context.mergeContinuously() }
        defer { merging.cancel() }
        try await wait { library.container.isMonitoringStore }
        try library.runElsewhere("UPDATE Work SET title = 'theirs'")
        try await wait { works.allSatisfy { $0.title == "theirs" } }
        let identity = works[0].objectID
        _ = try await library.container.performBackgroundTask { other in
            let work = try other.object(with: identity) as? Work
            work?.title = "another context's"
            return try other.save()
        }
        try await wait { works[0].title == "another context's" }
        try library.runElsewhere("DELETE FROM Work")
        try await wait { works.allSatisfy(\.isDeleted) }
    }

    @Test func `a failed merge is reported and repeated later`() async throws {
        final class Listener { var events: [ContextEvent] = [] }
        let listener = Listener()
        context.addObserver(listener) { [weak listener] in listener?.events.append($0) }
        let merging = Task { await context.mergeContinuously() }
        defer { merging.cancel() }
        try await wait { library.container.isMonitoringStore }
        // One commit, so that no merge comes between the two statements.
        try library.runElsewhere(
            "BEGIN; UPDATE Work SET title = 'theirs'; ALTER TABLE Work RENAME TO Elsewhere; COMMIT")
        try await wait {
            listener.events.contains { event in
                if case .failedToMerge(let error) = event { error.message.contains("Work") } else { false }
            }
        }
        #expect(works[0].title == "")
        try library.runElsewhere("ALTER TABLE Elsewhere RENAME TO Work")
        try await wait { works.allSatisfy { $0.title == "theirs" } }
    }

    @Test func `a replaced store file is reported`() async throws {
        final class Listener { var codes: [ObjectStorageError.Code] = [] }
        let listener = Listener()
        context.addObserver(listener) { [weak listener] event in
            if case .failedToMerge(let error) = event { listener?.codes.append(error.code) }
        }
        let merging = Task { await context.mergeContinuously() }
        defer { merging.cancel() }
        try await wait { library.container.isMonitoringStore }
        let copy = library.directory.file("copy.sqlite")
        try library.runElsewhere("VACUUM INTO '\(copy.path)'")
        try #require(rename(copy.path, library.directory.file("library.sqlite").path) == 0)
        try await wait { !listener.codes.isEmpty }
        #expect(listener.codes == [.storeReplaced])
    }

    /// The oracle is the rows that the shell reads after each round.
    @Test(arguments: [ExternalChangeMonitor.Kind.files, .regular])
    func `after random commits of contexts and programs, objects equal the rows of the store`(
        kind: ExternalChangeMonitor.Kind
    ) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let monitor = try #require(library.container.monitorStore(kind))
        let merging = Task { await context.mergeContinuously() }
        defer { merging.cancel() }
        let path = library.directory.file("library.sqlite").path
        let other = library.container.newContext()
        for round in 1...8 {
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let number = Int64.random(in: 0...1_000, using: &generator)
                let index = Int.random(in: 0..<3, using: &generator)
                switch Int.random(in: 0..<6, using: &generator) {
                case 0:
                    try context.mergeChangesFromStore()
                    works[index].key = number
                    try context.save()
                case 1:
                    let work = try #require(try other.existingObject(with: works[index].objectID) as? Work)
                    try other.mergeChangesFromStore()
                    work.key = number
                    try other.save()
                case 2: try library.runElsewhere("INSERT INTO Shelf (label) VALUES ('\(number)')")
                case 3: try library.container.repairTracking(of: ["Work"])
                case 4: await Task.yield()
                default:
                    try library.runElsewhere(
                        "UPDATE Work SET key = \(number) WHERE objectID % 3 = \(index)")
                }
            }
            let stored = try Library.output(of: "SELECT key FROM Work ORDER BY objectID", path: path)
                .split(separator: "\n").map { Int64($0) }
            do {
                try await wait { works.map(\.key) == stored }
            } catch {
                Issue.record("seed \(seed), round \(round): \(works.map(\.key)) is not \(stored)")
                throw error
            }
        }
        withExtendedLifetime(monitor) {}
    }
}
