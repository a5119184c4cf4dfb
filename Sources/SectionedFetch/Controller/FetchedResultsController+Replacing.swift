public import ObjectStorage

extension FetchedResultsController {
    /// Replaces the request by one with another predicate, order or window, or with other sections.
    ///
    /// Each request has its own entry in the cache, so returning to an earlier one is a hit while its entry
    /// exists: a cache name has at most ``/SectionCaching/SectionCacheStore/Options/maximumEntriesPerName``
    /// entries, and a further one replaces the oldest. For a search whose predicate changes with each
    /// keystroke, use no cache name, or a separate one. If the controller has results, those of the new
    /// request are fetched, and the difference is reported as one change if `reportsChange` is true.
    ///
    /// During a report, and while reports are paused, the fetch takes place afterwards, and the difference is
    /// reported in any case. If the new request then turns out to be invalid, the delegate receives the
    /// error, and the controller returns to the previous request.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request to show, with at least one sort descriptor.
    ///   - sectionNameKeyPath: The key that groups rows into sections; nil for one section.
    ///   - reportsChange: Whether the delegate and the listeners to ``changes`` receive the difference: as a
    ///     reload if the rows are of another table.
    ///   - isolation: The isolation of the controller. Leave it out: the default is that of the caller.
    /// - Throws: ``/ObjectStorage/ObjectStorageError``, as the initializer and ``performFetch(isolation:)``
    ///   do. The controller then keeps its previous request and results.
    /// - Complexity: That of ``performFetch(isolation:)``, plus O(*n* log *n*) in the number of rows of
    ///   both results if the change is reported.
    public func replaceRequest(
        with fetchRequest: FetchRequest<Object>, sectionNameKeyPath: SectionKey?, reportsChange: Bool = true,
        isolation: isolated (any Actor)? = #isolation
    ) throws(ObjectStorageError) {
        let new = try ResultsRequest(
            fetchRequest.description, sectionKey: sectionNameKeyPath,
            container: managedObjectContext.container)
        // Pending changes of the previous request are reported first.
        if let follower { report(follower) }
        let previous = (self.fetchRequest, sectionKey, request, requestNumber)
        numberOfReplacements += 1
        (self.fetchRequest, sectionKey, request) = (fetchRequest, sectionNameKeyPath, new)
        requestNumber = numberOfReplacements
        guard results != nil else { return }
        do throws(ObjectStorageError) {
            try performFetch(reportsChange: reportsChange, isolation: isolation)
        } catch {
            (self.fetchRequest, sectionKey, request, requestNumber) = previous
            throw error
        }
    }

    /// Restores the request of the results that are shown, after a new request turned out to be invalid.
    func takeBackRequest(of results: Results) {
        (fetchRequest, sectionKey) = (results.fetchRequest, results.request.sectionKey)
        (request, requestNumber) = (results.request, results.requestNumber)
    }

    /// Fetches again, as ``performFetch(isolation:)`` does, and reports the difference from the previous
    /// results if requested.
    ///
    /// - Parameters:
    ///   - reportsChange: Whether the delegate and the listeners to ``changes`` receive the difference: as a
    ///     reload if changes were not followed until now.
    ///   - isolation: The isolation of the controller. Leave it out: the default is that of the caller.
    /// - Throws: ``/ObjectStorage/ObjectStorageError``, as ``performFetch(isolation:)`` does.
    /// - Complexity: That of ``performFetch(isolation:)``, plus that of comparing both results if the
    ///   change is reported.
    public func performFetch(
        reportsChange: Bool, isolation: isolated (any Actor)? = #isolation
    ) throws(ObjectStorageError) {
        guard reportsChange, hasListeners, let old = results else {
            return try performFetch(isolation: isolation)
        }
        if let follower {
            actor = isolation
            merging = merging ?? managedObjectContext.mergingContinuously(on: isolation)
            return try updateNow(follower)
        }
        try performFetch(isolation: isolation)
        // The rows that changed in between are unknown.
        if let follower, let new = results { reportReload(from: old, to: new, follower) }
    }
}
