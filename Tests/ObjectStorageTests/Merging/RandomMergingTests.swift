import Foundation
import ObjectStorage
import Testing
import CheckSupport

/// Checks that contexts agree with the store after merging, for random changes of the same rows in any order.
@Suite struct RandomMergingTests {
    private final class Participant {
        let context: ManagedObjectContext
        /// Every work that the context has inserted or fetched, kept alive.
        var works: [Work] = []
        var author: Author?

        init(_ container: PersistentContainer, _ policy: MergePolicy) throws {
            context = container.newContext()
            context.mergePolicy = policy
            context.automaticallyMergesChanges = true
            author = try context.fetch(FetchRequest<Author>()).first
        }

        func act(_ generator: inout SeededGenerator) throws {
            let alive = works.filter { !$0.isDeleted }
            switch (Int.random(in: 0..<15, using: &generator), alive.randomElement(using: &generator)) {
            case (0...1, _), (_, nil):
                let work = Work(context: context)
                work.pages = Int16.random(in: 0..<100, using: &generator)
                works.append(work)
            case (2...4, let work?): work.pages = Int16.random(in: 0..<100, using: &generator)
            case (5...6, let work?): work.year = Int32.random(in: 0..<100, using: &generator)
            case (7, let work?): work.author = Bool.random(using: &generator) ? author : nil
            case (12, let work?): work.cover = .cover(&generator)
            case (13, let work?): if work.cover?.count == 10 { work.cover = nil }
            case (8, let work?): context.delete(work)
            case (14, _):
                context.rollback()
                try expectTheStores()
            case (9, _):
                try context.batchUpdate(
                    FetchRequest<Work>(predicate: \.pages < 20), set: [.set(\.rating, to: 1)],
                    resultType: Bool.random(using: &generator) ? .count : .objectIDs)
            case (10, _):
                try context.batchDelete(
                    FetchRequest<Work>(predicate: \.pages == 7),
                    resultType: Bool.random(using: &generator) ? .count : .objectIDs)
            default:
                for work in try context.fetch(FetchRequest<Work>()) where !works.contains(work) {
                    works.append(work)
                }
            }
            if Int.random(in: 0..<3, using: &generator) == 0 { try context.save() }
        }

        /// Checks that every object equals its row when it has no unsaved changes and other commits are
        /// merged.
        private func expectTheStores() throws {
            #expect(!context.hasChanges)
            _ = try context.fetchIDs(FetchRequest<Work>())
            let fresh = context.container.newContext()
            let stored = try fresh.fetch(FetchRequest<Work>())
            let rows = Dictionary(uniqueKeysWithValues: stored.map { ($0.objectID, $0) })
            for work in works where !work.isDeleted {
                let row = rows[work.objectID]
                #expect(work.content == row?.content && work.readError == nil)
                #expect(work.year == row?.year && work.rating == row?.rating)
            }
        }
    }

    @Test(arguments: [
        MergePolicy.storeWins, .contextWins, .propertyByProperty(.store), .propertyByProperty(.context),
    ])
    func `contexts agree with the store after merging`(policy: MergePolicy) throws {
        var generator = SeededGenerator(seed: SeededGenerator.newSeed())
        let library = try Library()
        let setUp = library.container.newContext()
        Author(context: setUp).name = "A"
        try setUp.save()
        let participants = try (0..<3).map { _ in try Participant(library.container, policy) }
        for _ in 0..<400 {
            try participants[Int.random(in: 0..<3, using: &generator)].act(&generator)
        }
        for participant in participants { try participant.context.save() }
        for participant in participants {
            try participant.context.mergePendingChanges()
            #expect(!participant.context.hasChanges)
        }
        let fresh = library.container.newContext()
        let stored = try fresh.fetch(FetchRequest<Work>())
        let rows = Dictionary(uniqueKeysWithValues: stored.map { ($0.objectID, $0) })
        #expect(!rows.isEmpty)
        for participant in participants {
            for work in participant.works where !(work.isDeleted && work.objectID.isTemporary) {
                guard !work.isDeleted, let row = rows[work.objectID] else {
                    // A deleted object stays deleted; if a policy restored its row, another object represents
                    // it.
                    #expect(work.isDeleted)
                    if rows[work.objectID] != nil {
                        #expect([.contextWins, .propertyByProperty(.context)].contains(policy))
                        #expect(try participant.context.existingObject(with: work.objectID) !== work)
                    }
                    continue
                }
                #expect(work.pages == row.pages)
                #expect(work.year == row.year)
                #expect(work.rating == row.rating)
                #expect(work.cover == row.cover && work.readError == nil)
                #expect(work.author?.objectID == row.author?.objectID)
            }
            #expect(
                try participant.context.fetchIDs(FetchRequest<Work>()) == stored.map(\.objectID))
        }
        #expect(try library.keepsCoversOnce())
    }

    @Test(
        arguments: RandomModel.all,
        [
            MergePolicy.error, .storeWins, .contextWins, .propertyByProperty(.store),
            .propertyByProperty(.context),
        ])
    func `no row refers to a deleted row, even if one context refers to it while another deletes it`(
        of model: RandomModel, policy: MergePolicy
    ) throws {
        var generator = SeededGenerator(seed: SeededGenerator.newSeed())
        let library = try Library(model: model.model())
        let contexts = (0..<3).map { number in
            let context = library.container.newContext()
            context.mergePolicy = policy
            context.automaticallyMergesChanges = number == 0
            return context
        }
        var refusals: Set<String> = []
        // Some histories have no conflict in their first steps.
        for step in 0..<3_000 {
            guard step < 300 || (policy == .error && refusals.isEmpty) else { break }
            let context = contexts[Int.random(in: 0..<3, using: &generator)]
            try model.change(context, step, &generator)
            switch Int.random(in: 0..<15, using: &generator) {
            case 0: try context.mergeChangesFromStore()
            case 1: context.rollback()
            case 2...5:
                do throws(ObjectStorageError) {
                    try context.save()
                } catch {
                    #expect(
                        error.code == .conflict && !error.conflicts.isEmpty && policy == .error, "\(error)")
                    refusals.formUnion(error.conflicts.map(\.kind.rawValue))
                    context.rollback()
                }
                #expect(try model.isTidy(library))
                guard Bool.random(using: &generator) else { continue }
                try context.mergeChangesFromStore()
                #expect(try model.content(context) == model.content(library.container.newContext()))
            default: continue
            }
        }
        #expect(refusals.isEmpty == (policy != .error))
    }
}
