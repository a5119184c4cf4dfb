import Foundation
import ObjectStorage
import CheckSupport
import Testing

/// Checks that SQLite and the evaluation in memory choose the same objects.
///
/// A pair is one random predicate and one random store. `SECTIONED_FETCH_PREDICATE_PAIRS` sets the number of
/// pairs, and `SECTIONED_FETCH_PREDICATE_SEED` repeats a failure:
///
///     SECTIONED_FETCH_PREDICATE_PAIRS=100000 swift test --filter PredicateAgreementTests
@Suite struct PredicateAgreementTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let pairs = environment["SECTIONED_FETCH_PREDICATE_PAIRS"].flatMap(Int.init) ?? 3_000
    private static let pairsPerStore = 50

    @Test func `random predicates choose the same objects in SQL, in memory and after parsing`() throws {
        let seed =
            Self.environment["SECTIONED_FETCH_PREDICATE_SEED"].flatMap(UInt64.init)
            ?? SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        var pair = 0
        var chosen = 0
        var decided = 0
        while pair < Self.pairs {
            let gallery = try Gallery()
            try gallery.fill(using: &generator)
            // One store in three has unsaved changes, which SQLite must see as if they were saved.
            let isSaved = Int.random(in: 0..<3, using: &generator) > 0
            if isSaved || Bool.random(using: &generator) { try gallery.context.save() }
            if !isSaved {
                for name in ["Painter", "Painting"] {
                    for object in try gallery.objects(of: name) {
                        try gallery.change(object, probability: 0.2, using: &generator)
                    }
                }
            }
            var objects: [String: [ManagedObject]] = [:]
            for entity in gallery.container.model.entities {
                objects[entity.name] = try gallery.objects(of: entity.name)
            }
            var predicates = PredicateGenerator(
                model: gallery.container.model,
                objects: objects.values.joined().map(\.objectID).sorted { $0.description < $1.description },
                comparesKeys: isSaved, samples: try Gallery.values(of: objects.values.joined()),
                generator: SeededGenerator(seed: generator.next()))
            for _ in 0..<Self.pairsPerStore where pair < Self.pairs {
                pair += 1
                let entityName =
                    ["Painting", "Painting", "Painter", "Room", "Museum"].randomElement(using: &generator)
                    ?? ""
                let tree = try predicates.predicate(of: entityName, depth: 3)
                let predicate = FetchRequest<ManagedObject>.Predicate(tree)
                let pairName = "seed \(seed), pair \(pair): \(entityName) where \(tree)"
                let candidates = objects[entityName] ?? []
                let fetched = try gallery.context.fetch(
                    FetchRequest<ManagedObject>(entityName: entityName, predicate: predicate))
                let evaluated = try predicate.filtering(candidates)
                if fetched != evaluated {
                    Issue.record("\(pairName)\nSQL: \(fetched)\nmemory: \(evaluated)")
                }
                if try FetchRequest<ManagedObject>.Predicate(format: predicate.format) != predicate {
                    Issue.record("\(pairName) does not parse to itself")
                }
                chosen += fetched.count
                if !fetched.isEmpty, fetched.count < candidates.count { decided += 1 }
            }
        }
        // Predicates that choose all objects or none could agree by chance.
        #expect(chosen > Self.pairs / 2 && decided > Self.pairs / 10)
        print("\(Self.pairs) pairs, \(chosen) objects chosen, \(decided) predicates choose some and not all")
    }
}
