import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Derived values after random saves and batches, compared with values computed from the objects.
@Suite struct RandomDerivationTests {
    private static let titles = ["Ágnes", "été", "SEA", "Straße", "ODE", "", "Żółw", "e\u{301}clat"]

    @Test(arguments: 0..<4)
    func `after any save or batch every derived value equals that of its sources`(round: Int) throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let concert = try Concert()
        let context = concert.container.newContext()
        let other = concert.container.newContext()
        var steps: [String] = []
        for step in 0..<60 {
            if Int.random(in: 0..<5, using: &generator) == 0 {
                steps.append(try runBatch(in: context, using: &generator))
            } else {
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    steps.append(try change(in: context, using: &generator))
                }
                try context.save()
            }
            let stored = try concert.differences()
            try #require(stored.isEmpty, "seed \(seed), step \(step), \(steps.suffix(8)): \(stored)")
            // Objects show the new values without being refreshed.
            let shown = try Concert.differences(in: context)
            try #require(shown.isEmpty, "seed \(seed), step \(step), \(steps.suffix(8)): \(shown)")
            try other.mergePendingChanges()
            let merged = try Concert.differences(in: other)
            try #require(merged.isEmpty, "seed \(seed), step \(step), \(steps.suffix(8)): \(merged)")
        }
    }

    private func any<Object: ManagedObject>(
        _ type: Object.Type, in context: ManagedObjectContext, using generator: inout SeededGenerator
    ) throws -> Object? {
        try context.fetch(FetchRequest<Object>()).sorted { "\($0.objectID)" < "\($1.objectID)" }
            .randomElement(using: &generator)
    }

    private func change(
        in context: ManagedObjectContext, using generator: inout SeededGenerator
    ) throws -> String {
        let kind = Int.random(in: 0..<19, using: &generator)
        switch kind {
        case 0: Composer(context: context).name = Self.titles.randomElement(using: &generator)
        case 1: Nation(context: context).name = Self.titles.randomElement(using: &generator)
        case 2, 3:
            let opus = kind == 2 ? Opus(context: context) : Symphony(context: context)
            opus.title = Self.titles.randomElement(using: &generator)
            opus.length = .random(in: 0...100, using: &generator)
            opus.price = Decimal(Int.random(in: -500...500, using: &generator)) / 100
            opus.composer = try any(Composer.self, in: context, using: &generator)
        case 4: Theme(context: context).weight = Double(Int.random(in: 0...8, using: &generator))
        case 5:
            let movement = Movement(context: context)
            movement.symphony = try any(Symphony.self, in: context, using: &generator)
        case 6:
            try any(Composer.self, in: context, using: &generator)?.name = Self.titles.randomElement(
                using: &generator)
        case 7:
            try any(Nation.self, in: context, using: &generator)?.name = Self.titles.randomElement(
                using: &generator)
        case 8:
            let opus = try any(Opus.self, in: context, using: &generator)
            opus?.title = Bool.random(using: &generator) ? nil : Self.titles.randomElement(using: &generator)
            opus?.length = .random(in: 0...100, using: &generator)
        case 9:
            try any(Opus.self, in: context, using: &generator)?.composer =
                Bool.random(using: &generator) ? nil : any(Composer.self, in: context, using: &generator)
        case 10:
            try any(Composer.self, in: context, using: &generator)?.nation =
                Bool.random(using: &generator) ? nil : any(Nation.self, in: context, using: &generator)
        case 11:
            let themes = try context.fetch(FetchRequest<Theme>()).filter { _ in Bool.random(using: &generator)
            }
            try any(Opus.self, in: context, using: &generator)?.themes = Set(themes)
        case 12:
            let themes = try context.fetch(FetchRequest<Theme>()).filter { _ in Bool.random(using: &generator)
            }
            try any(Composer.self, in: context, using: &generator)?.favourites = Set(themes)
        case 13:
            try any(Theme.self, in: context, using: &generator)?.weight = Double(
                Int.random(in: 0...8, using: &generator))
        case 14:
            let names = ["Composer", "Nation", "Opus", "Theme", "Movement"]
            let request = FetchRequest<ManagedObject>(
                entityName: names.randomElement(using: &generator) ?? "Opus")
            let objects = try context.fetch(request).sorted { "\($0.objectID)" < "\($1.objectID)" }
            if let object = objects.randomElement(using: &generator) { context.delete(object) }
        case 15:
            let themes = try context.fetch(FetchRequest<Theme>()).filter { _ in
                Int.random(in: 0..<3, using: &generator) == 0
            }
            try any(Theme.self, in: context, using: &generator)?.related = Set(themes)
        case 16, 17:
            let origin =
                Bool.random(using: &generator) ? try any(Theme.self, in: context, using: &generator) : nil
            try any(Theme.self, in: context, using: &generator)?.origin = origin
        default:
            // The program's values are replaced.
            let opus = try any(Opus.self, in: context, using: &generator)
            opus?.searchTitle = "set by the program"
            opus?.themeCount = 99
            try any(Composer.self, in: context, using: &generator)?.operaCount = -1
        }
        return "change \(kind)"
    }

    private func runBatch(
        in context: ManagedObjectContext, using generator: inout SeededGenerator
    ) throws -> String {
        let kind = Int.random(in: 0..<5, using: &generator)
        switch kind {
        case 0:
            let key = try any(Composer.self, in: context, using: &generator)?.objectID.primaryKey
            let rows: [[String: StoredValue]] = (0..<5).map {
                [
                    "title": .text(Self.titles[$0]), "length": .integer(Int64($0)),
                    "composer": key.map { .integer($0) } ?? .null,
                ]
            }
            try context.batchInsert(Opus.self, rows: rows)
        case 1:
            try context.batchUpdate(
                FetchRequest<Opus>(), set: [.set("title", to: .text("Été")), .set("length", to: 7)],
                resultType: Bool.random(using: &generator) ? .count : .objectIDs)
        case 2:
            let composer = try any(Composer.self, in: context, using: &generator)?.objectID
            try context.batchUpdate(
                FetchRequest<Opus>(fetchLimit: 3), set: [.set("composer", toObject: composer)])
        case 3: try context.batchUpdate(FetchRequest<Composer>(), set: [.set("name", to: .text("B"))])
        default: try context.batchDelete(FetchRequest<Opus>(fetchLimit: 2))
        }
        return "batch \(kind)"
    }
}
