import ObjectStorage
import SectionCaching

/// The computation of a first screen on another thread.
struct FirstScreenComputation<Object: ManagedObject>: Sendable {
    /// The rows of a first screen.
    struct Outcome: Sendable {
        let index: SectionIndex
        let description: FirstScreen
    }

    /// The request for the whole list.
    let fetchRequest: FetchRequest<Object>
    let sectionKey: SectionKey?
    let numberOfRows: Int

    /// Finds the rows in the store's present state, and counts their sections.
    ///
    /// - Returns: Nil if no index has the order, so that all rows would have to be sorted, or the first
    ///   screen would be the whole list.
    func run(in container: PersistentContainer, _ cancellation: ReadCancellation) throws -> Outcome? {
        guard fetchRequest.fetchLimit == 0 || fetchRequest.fetchLimit > numberOfRows else { return nil }
        var request = fetchRequest
        request.fetchLimit = numberOfRows
        let context = container.newContext()
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: sectionKey)
        defer { cancellation.end() }
        try context.setQueryGeneration(from: .current)
        try context.pin(cancelledBy: cancellation)
        guard try isOrderedByIndex(controller.request, context) else { return nil }
        try controller.performFetch(isolation: nil)
        guard let results = controller.results, results.index.numberOfRows == numberOfRows else { return nil }
        let index = results.index
        var counts: [Int?] = (0..<results.shown.count).map { results.shown.rows(of: $0).count }
        // The last section may continue after the first screen, and the first section may begin before it.
        // The first screen is shown even if the rows of a section cannot be counted.
        counts[counts.count - 1] =
            cancellation.isCancelled
            ? nil : try? count(ofLastSectionOf: index, controller.request, in: context)
        if fetchRequest.fetchOffset > 0 { counts[0] = nil }
        return Outcome(index: index, description: FirstScreen(sectionCounts: counts))
    }

    private func isOrderedByIndex(
        _ request: ResultsRequest, _ context: ManagedObjectContext
    ) throws -> Bool {
        try context.withSnapshot(
            of: request.request, columns: request.columns, includingPendingChanges: false
        ) { snapshot -> Bool in try snapshot.isOrderedByIndex() }
    }

    /// Returns the number of rows of the last section in the whole list; nil if counting could take as long
    /// as the list: with a predicate, without sections, and for sections by computed values.
    private func count(
        ofLastSectionOf index: SectionIndex, _ request: ResultsRequest, in context: ManagedObjectContext
    ) throws -> Int? {
        var all = fetchRequest.description
        let first = index.rows(ofSection: index.numberOfSections - 1).lowerBound
        // A predicate compares decimals as numbers, and sections compare them as texts.
        guard all.limit == 0, all.offset == 0, all.predicate == nil,
            let expression = request.sectionKey?.expression, expression.function == .value,
            !expression.isAggregate,
            request.sectionType != .decimal, let keys = index.rowIDs(in: first..<first + 1)
        else { return nil }
        let group = try context.withSnapshot(
            of: request.request, columns: request.columns, includingPendingChanges: false
        ) { snapshot -> StoreSnapshot.GroupStart? in
            try snapshot.rows(withKeys: keys, request.rowsByKey(in: snapshot)).first?.group
        }
        guard let group else { return nil }
        all.predicate = PredicateTree.comparison(.path(expression.path), .equal, .value(group.key))
        return try context.withSnapshot(of: all, columns: .count, includingPendingChanges: false) {
            try $0.numberOfRows()
        }
    }
}
