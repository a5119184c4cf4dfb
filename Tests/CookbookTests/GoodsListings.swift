import SectionedFetch

/// A suite whose context has goods.
protocol GoodsListings {
    var context: ManagedObjectContext { get }
}

extension GoodsListings {
    /// Returns the names of the sections of all goods.
    func names(
        _ key: SectionKey, sorted descriptor: FetchRequest<Goods>.SortDescriptor
    ) throws -> [String] {
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Goods>(sortDescriptors: [descriptor]), context: context,
            sectionNameKeyPath: key)
        try controller.performFetch()
        return controller.sections?.map(\.name) ?? []
    }
}
