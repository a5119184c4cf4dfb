import Foundation
import SectionedFetch
import Testing

final class Poster: ManagedObject {
    @Attribute var title: String = ""
    @Attribute(.externalStorage) var picture: Data?
}

/// A save changes the stored form of large values, which is not reported as a change.
@Suite struct LargeValueReportingTests {
    private let store: TemporaryStore
    private let context: ManagedObjectContext
    private let listener = Listener<Poster>()
    private let controller: FetchedResultsController<Poster>

    init() throws {
        store = try TemporaryStore(ManagedObjectModel(types: Poster.self))
        context = store.container.newContext()
        for number in 0..<3 { Poster(context: context).title = "\(number)" }
        try context.save()
        controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Poster>(sortDescriptors: [.ascending(\.title)]), context: context)
        controller.delegate = listener
        try controller.performFetch()
    }

    private var kinds: [[ResultsChange.Kind]] { listener.changes.map { $0.rowEvents.map(\.kind) } }

    @Test(arguments: [10, 100_000])
    func `a change that was reported when it was processed is not reported again by the save`(size: Int)
        throws
    {
        let poster = try #require(controller.fetchedObjects?.first)
        poster.picture = Data(repeating: 1, count: size)
        try context.processPendingChanges()
        #expect(kinds == [[.update]])
        try context.save()
        #expect(kinds == [[.update]])
        let new = Poster(context: context)
        (new.title, new.picture) = ("9", Data(repeating: 2, count: size))
        try context.processPendingChanges()
        try context.save()
        #expect(kinds == [[.update], [.insertion]])
        // Another picture is a change.
        poster.picture = Data(repeating: 3, count: size)
        try context.save()
        #expect(kinds == [[.update], [.insertion], [.update]])
    }
}
