import Foundation
import ObjectStorage
import Testing
import CheckSupport

/// Checks that the store and the requests for each entity agree with a naive model in memory, for random
/// changes of the objects of a hierarchy.
///
/// `INHERITANCE_TEST_RUNS` sets the number of runs, and `INHERITANCE_TEST_SEED` the seed of the first run.
@Suite struct RandomInheritanceTests {
    /// A row of the naive model.
    private struct Row: Equatable {
        var kind: String
        var title: String
        var duration: Double?
        var year: String?
        var maker: String?
        var best: String?
        var labels: Set<String> = []

        var line: String {
            [
                kind, title, duration.map { String($0) } ?? "", year ?? "", maker ?? "",
                labels.sorted().joined(separator: "+"),
            ]
            .joined(separator: "|")
        }
    }

    /// The expected contents of a store, by unique titles and names.
    private struct Naive {
        var media: [String: Row] = [:]
        var makers: [String: Row] = [:]
    }

    private static let parents = [
        "Media": [], "Audio": ["Media"], "Tune": ["Audio", "Media"], "Podcast": ["Audio", "Media"],
        "Film": ["Media"], "Maker": [], "Band": ["Maker"],
    ]

    private static func isKind(_ kind: String, of entity: String) -> Bool {
        kind == entity || parents[kind]?.contains(entity) == true
    }

    /// Three contexts, with the expected contents of the store and of the context that has unsaved changes.
    private struct Run {
        let library: MediaLibrary
        let seed: UInt64
        var generator: SeededGenerator
        var store = Naive()
        var pending: Naive
        var contexts: [ManagedObjectContext]
        var count = 0

        init(seed: UInt64) throws {
            library = try MediaLibrary()
            self.seed = seed
            generator = SeededGenerator(seed: seed)
            pending = store
            contexts = (0..<3).map { [library] _ in library.container.newContext() }
            for context in contexts { context.automaticallyMergesChanges = true }
            for word in ["x", "y"] { Label(context: contexts[0]).word = word }
            try contexts[0].save()
        }

        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

        mutating func newName(_ prefix: String) -> String {
            count += 1
            return "\(prefix)\(count)"
        }

        /// Returns a random object of an entity or a sub-entity, obtained in one of several ways.
        mutating func any(_ entity: String, in context: ManagedObjectContext) throws -> ManagedObject? {
            let request = FetchRequest<ManagedObject>(entityName: entity)
            switch number(0..<3) {
            case 0: return try context.fetch(request).randomElement(using: &generator)
            case 1: return try context.list(request).randomElement(using: &generator)
            default:
                guard let objectID = try context.fetchIDs(request).randomElement(using: &generator) else {
                    return nil
                }
                guard let key = objectID.primaryKey else { return try context.object(with: objectID) }
                let names = [objectID.entityName] + (Hierarchies.parents[objectID.entityName] ?? [])
                return try context.object(
                    with: ObjectID(
                        entityName: names.randomElement(using: &generator) ?? entity, primaryKey: key))
            }
        }

        /// Makes a random change in a context, and the same change in the naive model.
        mutating func act(in context: ManagedObjectContext) throws {
            switch number(0..<14) {
            case 0...2: try insertMedia(in: context)
            case 3:
                let maker: Maker = number(0..<2) == 0 ? Band(context: context) : Maker(context: context)
                maker.name = newName("n")
                pending.makers[maker.name] = Row(kind: type(of: maker).entityName, title: maker.name)
            case 4...5:
                guard
                    let media = try any(["Media", "Audio", "Tune", "Film"][number(0..<4)], in: context)
                        as? Media
                else { return }
                try change(media, in: context)
            case 6...7:
                guard let media = try any("Media", in: context) as? Media else { return }
                let maker =
                    number(0..<4) == 0
                    ? nil : try any(["Maker", "Band"][number(0..<2)], in: context) as? Maker
                media.maker = maker
                pending.media[media.title]?.maker = maker?.name
            case 8:
                guard let maker = try any("Maker", in: context) as? Maker else { return }
                let best = try any(["Media", "Audio", "Podcast"][number(0..<3)], in: context) as? Media
                maker.best = best
                pending.makers[maker.name]?.best = best?.title
            case 9:
                guard let media = try any(["Media", "Tune"][number(0..<2)], in: context) as? Media else {
                    return
                }
                context.delete(media)
                forget(media: media.title)
            case 10:
                guard number(0..<3) == 0,
                    let maker = try any(["Maker", "Band"][number(0..<2)], in: context) as? Maker
                else { return }
                let name = maker.name
                context.delete(maker)
                // Delete rules apply now, before the media get other makers.
                try context.processPendingChanges()
                pending.makers[name] = nil
                for (title, row) in pending.media where row.maker == name { forget(media: title) }
            case 11:
                guard let media = try any("Media", in: context) as? Media,
                    let label = try any("Label", in: context) as? Label
                else { return }
                if media.labels.contains(label) {
                    media.labels.remove(label)
                    pending.media[media.title]?.labels.remove(label.word)
                } else {
                    label.media.insert(media)
                    pending.media[media.title]?.labels.insert(label.word)
                }
            case 12:
                context.rollback()
                pending = store
            default: try batch(in: context)
            }
        }

        private mutating func insertMedia(in context: ManagedObjectContext) throws {
            let kind = ["Audio", "Tune", "Podcast", "Film"][number(0..<4)]
            let media = try context.insert(entityNamed: kind) as! Media
            media.title = newName("t")
            pending.media[media.title] = Row(
                kind: kind, title: media.title, duration: media is Audio ? 1 : nil)
            try change(media, in: context)
        }

        private mutating func change(_ media: Media, in context: ManagedObjectContext) throws {
            let value = number(0..<50)
            switch media {
            case let tune as Tune where number(0..<2) == 0:
                tune.year = Int32(value)
                pending.media[media.title]?.year = "\(value)"
            case let audio as Audio:
                audio.duration = Double(value)
                pending.media[media.title]?.duration = Double(value)
            case let film as Film:
                film.year = "y\(value)"
                pending.media[media.title]?.year = "y\(value)"
            default: Issue.record("\(media) is of no class that has objects")
            }
        }

        /// A batch reads the store, so all changes are saved first.
        private mutating func batch(in context: ManagedObjectContext) throws {
            try save(context)
            let limit = Double(number(0..<50))
            if number(0..<2) == 0 {
                try context.batchUpdate(
                    FetchRequest<Audio>(predicate: \.duration < limit, includesSubentities: limit < 25),
                    set: [.set(\.duration, to: 25)])
                for (title, row) in pending.media {
                    guard let duration = row.duration, duration < limit, limit < 25 || row.kind == "Audio"
                    else { continue }
                    pending.media[title]?.duration = 25
                }
            } else {
                try context.batchDelete(
                    FetchRequest<Audio>(predicate: \.duration == limit),
                    resultType: number(0..<2) == 0 ? .count : .objectIDs)
                for (title, row) in pending.media where row.duration == limit { forget(media: title) }
            }
            store = pending
        }

        private mutating func forget(media title: String) {
            pending.media[title] = nil
            for (name, row) in pending.makers where row.best == title { pending.makers[name]?.best = nil }
        }

        mutating func save(_ context: ManagedObjectContext) throws {
            try context.save()
            store = pending
        }

        /// Compares the results of each entity's requests in a context with the naive model.
        func check(_ expected: Naive, in context: ManagedObjectContext) throws {
            for entity in ["Media", "Audio", "Tune", "Podcast", "Film"] {
                for includesSubentities in [true, false] {
                    let request = FetchRequest<ManagedObject>(
                        entityName: entity, includesSubentities: includesSubentities)
                    let objects = try context.fetch(request).compactMap { $0 as? Media }
                    let rows = expected.media.values.filter {
                        includesSubentities ? Hierarchies.isKind($0.kind, of: entity) : $0.kind == entity
                    }
                    #expect(
                        objects.map(line).sorted() == rows.map(\.line).sorted(), "seed \(seed), \(entity)")
                    #expect(try context.count(for: request) == rows.count)
                }
            }
            for maker in try context.fetch(FetchRequest<Maker>()) {
                let row = expected.makers[maker.name]
                #expect(row?.kind == type(of: maker).entityName && row?.best == maker.best?.title)
                let titles = expected.media.values.filter { $0.maker == maker.name }.map(\.title)
                #expect(maker.media.map(\.title).sorted() == titles.sorted())
                let predicate = FetchRequest<Maker>.Predicate.self
                let many = try predicate.init(
                    format: "ANY media.title == %@ OR media.@count == 0", titles.first ?? "")
                #expect(try many.evaluate(with: maker))
                #expect(try context.fetch(FetchRequest<Maker>(predicate: many)).contains(maker))
            }
            #expect(try context.count(for: FetchRequest<Maker>()) == expected.makers.count)
        }

        private func line(_ media: Media) -> String {
            let year = (media as? Tune)?.year.map { "\($0)" } ?? (media as? Film)?.year
            return Row(
                kind: media.entity.name, title: media.title, duration: (media as? Audio)?.duration,
                year: year,
                maker: media.maker?.name, labels: Set(media.labels.map(\.word))
            ).line
        }

        /// Compares the store, as the sqlite3 shell reads it, with the naive model.
        func checkStore() throws {
            let lines = try library.lines(
                """
                SELECT m.".entity", m.title, ifnull(m.duration, ''), ifnull(m.year, ''), ifnull(k.name, ''),
                    ifnull((SELECT group_concat(word, '+') FROM (SELECT word FROM "Label.media" l
                        JOIN Label w ON w.objectID = l.source WHERE l.target = m.objectID ORDER BY word)), '')
                FROM Media m LEFT JOIN Maker k ON k.objectID = m.maker
                """)
            #expect(lines.sorted() == store.media.values.map(\.line).sorted(), "seed \(seed)")
            #expect(
                try library.lines("SELECT \".entity\" || ' ' || name FROM Maker").sorted()
                    == store.makers.values.map { "\($0.kind) \($0.title)" }.sorted())
            #expect(try library.lines("PRAGMA foreign_key_check") == [])
        }
    }

    private typealias Hierarchies = RandomInheritanceTests

    @Test func `requests, contexts and the store agree with a naive model`() throws {
        let environment = ProcessInfo.processInfo.environment
        let runs = environment["INHERITANCE_TEST_RUNS"].flatMap { Int($0) } ?? 4
        let first = environment["INHERITANCE_TEST_SEED"].flatMap { UInt64($0) } ?? SeededGenerator.newSeed()
        for seed in first..<first + UInt64(runs) {
            var run = try Run(seed: seed)
            for _ in 0..<40 {
                // One context at a time has unsaved changes; the others merge its saves.
                let context = run.contexts[run.number(0..<3)]
                for _ in 0..<run.number(1..<8) {
                    try run.act(in: context)
                    if run.number(0..<4) == 0 { try run.check(run.pending, in: context) }
                }
                if run.number(0..<5) == 0 {
                    context.rollback()
                    run.pending = run.store
                } else {
                    try run.save(context)
                }
                try run.check(run.store, in: run.contexts[run.number(0..<3)])
            }
            try run.checkStore()
            #expect(run.store.media.count + run.store.makers.count > 0, "seed \(seed)")
        }
    }
}
