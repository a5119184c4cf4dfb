public import ObjectStorage

extension FetchedResultsController {
    /// Shows another request from now on: another predicate, order or window, or other sections.
    ///
    /// Each request has its own entry in the cache, so going back to one is a hit, as long as the name has no
    /// more of them than ``SectionCaching/SectionCacheStore/Options/maximumEntriesPerName``: the oldest gives
    /// way. Search as one types without a cache name, or with another. If there were results, those of the
    /// new request are fetched, and the difference is reported as one change, if asked for.
    ///
    /// In the middle of a report, and while reports are paused, that is done afterwards, and the difference
    /// is reported in any case. If the new request turns out not to be showable then, the delegate is told
    /// why, and the controller goes on with the former one.
    ///
    /// - Parameters:
    ///   - fetchRequest: What to show, with at least one sort descriptor.
    ///   - sectionNameKeyPath: What to group by.
    ///   - reportsChange: Whether the delegate and those who listen to ``changes`` are told of the
    ///     difference: as a reload if the rows are of another table.
    ///   - isolation: The isolation of the controller: leave it out.
    /// - Throws: ``ObjectStorageError``, as the initializer and ``performFetch()``. Then the controller has
    ///   its former request and results.
    /// - Complexity: That of ``performFetch()``, and O(*n* log *n*) in the number of rows of both results if
    ///   the change is reported.
    public func replaceRequest(
        with fetchRequest: FetchRequest<Object>, sectionNameKeyPath: SectionKey?, reportsChange: Bool = true,
        isolation: isolated (any Actor)? = #isolation
    ) throws(ObjectStorageError) {
        let new = try ResultsRequest(
            fetchRequest.description, sectionKey: sectionNameKeyPath,
            container: managedObjectContext.container)
        // What is still to be told of the former request comes first.
        if let tracking { report(tracking) }
        let former = (self.fetchRequest, sectionKey, request, requestNumber)
        numberOfReplacements += 1
        (self.fetchRequest, sectionKey, request) = (fetchRequest, sectionNameKeyPath, new)
        requestNumber = numberOfReplacements
        guard results != nil else { return }
        do throws(ObjectStorageError) {
            try performFetch(reportsChange: reportsChange, isolation: isolation)
        } catch {
            (self.fetchRequest, sectionKey, request, requestNumber) = former
            throw error
        }
    }

    /// Goes back to the request of the results that are shown, after another one turned out not to be
    /// showable.
    func takeBackRequest(of results: Results) {
        (fetchRequest, sectionKey) = (results.fetchRequest, results.request.sectionKey)
        (request, requestNumber) = (results.request, results.requestNumber)
    }

    /// Fetches again, as ``performFetch()``, and reports what is different from the results before, if asked
    /// to.
    ///
    /// - Parameters:
    ///   - reportsChange: Whether the delegate and those who listen to ``changes`` are told of the
    ///     difference: as a reload if changes were not followed until now.
    ///   - isolation: The isolation of the controller: leave it out.
    /// - Throws: As ``performFetch()``.
    /// - Complexity: That of ``performFetch()``, and if the change is reported that of comparing both
    ///   results.
    public func performFetch(
        reportsChange: Bool, isolation: isolated (any Actor)? = #isolation
    ) throws(ObjectStorageError) {
        guard reportsChange, isHeard, let old = results else { return try performFetch(isolation: isolation) }
        if let tracking {
            actor = isolation
            merging = merging ?? managedObjectContext.mergingContinuously(on: isolation)
            return try updateNow(tracking)
        }
        try performFetch(isolation: isolation)
        // Which rows changed meanwhile nobody knows.
        if let tracking, let new = results { reportReload(from: old, to: new, tracking) }
    }
}
