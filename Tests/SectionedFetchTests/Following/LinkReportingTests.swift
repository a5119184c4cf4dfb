import Foundation
import SectionedFetch
import CheckSupport
import Testing

final class Recipe: ManagedObject {
    @Attribute var title: String = ""
    @Relationship(inverse: \Keyword.recipes) var keywords: Set<Keyword>
    @Relationship(inverse: \Recipe.isSideOf) var sides: [Recipe]
    @Relationship var isSideOf: Set<Recipe>
}

final class Keyword: ManagedObject {
    @Attribute var word: String = ""
    @Relationship var recipes: Set<Recipe>
}

/// Reports of changes of many-to-many relationships, which are stored in link tables.
@Suite struct LinkReportingTests {
    private let store: TemporaryStore
    private let context: ManagedObjectContext
    private let listener = Listener<Recipe>()
    private let controller: FetchedResultsController<Recipe>
    private let recipes: [Recipe]
    private let keywords: [Keyword]

    init() throws {
        store = try TemporaryStore(ManagedObjectModel(types: Recipe.self, Keyword.self))
        let context = store.container.newContext()
        self.context = context
        recipes = (0..<5).map { number in
            let recipe = Recipe(context: context)
            recipe.title = "\(number)"
            return recipe
        }
        keywords = (0..<3).map { _ in Keyword(context: context) }
        try context.save()
        controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Recipe>(sortDescriptors: [.ascending(\.title)]), context: context)
        controller.delegate = listener
        try controller.performFetch()
    }

    /// Returns the titles of the rows that were reported as updated since the last call, a list for each
    /// report.
    private func updates() -> [[String]] {
        defer { listener.forget() }
        return listener.changes.map { change in
            change.rowEvents.map { event in
                event.kind == .update ? recipes[(event.newIndexPath ?? [0, 0]).row].title : "\(event.kind)"
            }.sorted()
        }
    }

    @Test(arguments: [
        MergePolicy.contextWins, .storeWins, .propertyByProperty(.context), .propertyByProperty(.store),
    ])
    func `links do not hide other changes of an object that another context changed as well`(
        policy: MergePolicy
    ) throws {
        let other = store.container.newContext()
        let theirs = try #require(try other.object(with: recipes[1].objectID) as? Recipe)
        theirs.title = "1 theirs"
        try other.save()
        context.mergePolicy = policy
        recipes[1].title = "1 ours"
        recipes[1].keywords.insert(keywords[0])
        try context.save()
        let events = listener.changes.flatMap(\.rowEvents).filter { $0.objectID == recipes[1].objectID }
        #expect(events.map(\.kind) == [.update])
        #expect(events[0].changedProperties?.contains("title") != false)
        #expect(events[0].oldValues.map { $0["title"] == .text("1") } != false)
    }

    enum Side: CaseIterable { case own, other, ordered }

    private func link(_ side: Side, _ number: Int) {
        switch side {
        case .own: recipes[1].keywords.insert(keywords[number])
        case .other: keywords[number].recipes.insert(recipes[1])
        case .ordered: recipes[1].sides.insert(recipes[2 + number], at: 0)
        }
    }

    /// Returns the titles of the rows that the link changes.
    private func linked(_ side: Side, _ number: Int) -> [String] {
        side == .ordered ? ["1", "\(2 + number)"] : ["1"]
    }

    @Test(arguments: Side.allCases)
    func `a link that is reported when it is processed is not reported again by its save`(side: Side) throws {
        for number in 0..<2 {
            link(side, number)
            try context.processPendingChanges()
            #expect(updates() == [linked(side, number)])
            try context.save()
            #expect(updates() == [])
        }
        // A link that was not processed is reported by its save.
        link(side, 2)
        try context.save()
        #expect(updates() == [linked(side, 2)])
    }

    @Test(arguments: Side.allCases)
    func `the removal of a link is reported by a rollback and by an undo`(side: Side) throws {
        link(side, 0)
        try context.processPendingChanges()
        #expect(updates().count == 1)
        context.rollback()
        #expect(updates() == [linked(side, 0)])
        context.undoManager = ManagedObjectContext.UndoManager()
        link(side, 1)
        try context.processPendingChanges()
        #expect(updates().count == 1)
        try context.undo()
        #expect(updates() == [linked(side, 1)])
        try context.save()
        #expect(updates() == [])
    }

    @Test func `a link of this context and a later link of another context are both reported`() throws {
        link(.own, 0)
        try context.processPendingChanges()
        #expect(updates() == [["1"]])
        let other = store.container.newContext()
        let request = FetchRequest<Recipe>(predicate: \.title == "1")
        let recipe = try #require(try other.fetch(request).first)
        recipe.keywords = []
        let keyword = Keyword(context: other)
        recipe.keywords.insert(keyword)
        let changes = try other.save()
        try context.mergeChanges(from: changes)
        #expect(updates() == [["1"]])
        try context.save()
        #expect(recipes[1].keywords.count == 2)
        #expect(updates() == [])
        let third = try #require(try other.fetch(FetchRequest<Recipe>(predicate: \.title == "3")).first)
        third.keywords.insert(keyword)
        try context.mergeChanges(from: other.save())
        #expect(updates() == [["3"]])
    }

    @Test func `each of 200 random changes of links is reported once`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("links: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let recipe = try #require(recipes.randomElement(using: &generator))
            let keyword = try #require(keywords.randomElement(using: &generator))
            if recipe.keywords.contains(keyword) {
                recipe.keywords.remove(keyword)
            } else {
                recipe.keywords.insert(keyword)
            }
            if Bool.random(using: &generator) { try context.processPendingChanges() }
            let isReported = !listener.changes.isEmpty
            try context.save()
            let reports = updates()
            #expect(
                reports == [[recipe.title]], "\(isReported ? "processed" : "not processed"), seed \(seed)")
        }
    }
}
