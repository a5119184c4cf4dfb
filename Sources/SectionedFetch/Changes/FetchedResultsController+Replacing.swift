public import ObjectStorage

extension FetchedResultsController {
    /// Shows another request from now on: another predicate, order or window, or other sections.
    ///
    /// Each request has its own entry in the cache, so going back to one is a hit. If there were results, those of the new request are
    /// fetched, and the difference is reported as one change, if asked for.
    ///
    /// - Parameters:
    ///   - fetchRequest: What to show, with at least one sort descriptor.
    ///   - sectionNameKeyPath: What to group by.
    ///   - reportsChange: Whether the delegate and those who listen to ``changes`` are told of the difference.
    /// - Throws: ``ObjectStorageError``, as the initializer and ``performFetch()``. Then the controller has its former request and
    ///   results.
    /// - Complexity: That of ``performFetch()``, and O(*n* log *n*) in the number of rows of both results if the change is reported.
    public func replaceRequest(
        with fetchRequest: FetchRequest<Object>, sectionNameKeyPath: SectionKey?, reportsChange: Bool = true
    ) throws(ObjectStorageError) {
        let former = (self.fetchRequest, sectionKey, request)
        let new = try ResultsRequest(
            fetchRequest.description, sectionKey: sectionNameKeyPath,
            container: managedObjectContext.container)
        // What is still to be told of the former request comes first.
        if let tracking { report(tracking) }
        (self.fetchRequest, sectionKey, request) = (fetchRequest, sectionNameKeyPath, new)
        requestNumber += 1
        guard results != nil else { return }
        do throws(ObjectStorageError) {
            guard reportsChange else { return try performFetch() }
            try performFetch(reportsChange: true)
        } catch {
            (self.fetchRequest, sectionKey, request) = former
            requestNumber -= 1
            throw error
        }
    }

    /// Fetches again, as ``performFetch()``, and reports what is different from the results before, if asked to.
    ///
    /// - Parameter reportsChange: Whether the delegate and those who listen to ``changes`` are told of the difference.
    /// - Throws: As ``performFetch()``.
    /// - Complexity: That of ``performFetch()``, and if the change is reported that of comparing both results.
    public func performFetch(reportsChange: Bool) throws(ObjectStorageError) {
        guard reportsChange, let tracking, results != nil else { return try performFetch() }
        try updateNow(tracking)
    }
}
