import ObjectStorage
import SectionCaching
import Mutants

extension FetchedResultsController {
    /// Computes the change since some results, and the new results.
    ///
    /// - Parameter mayDefer: Whether the change may be computed on another thread if it is large.
    /// - Returns: Nil if it must be computed on another thread.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read, or the order no longer keeps sections
    ///   together. The events recorded so far are kept for the next attempt.
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*. For a window that is fetched quickly,
    ///   a predicate that reads large values, or a store without a log: that of the fetch, plus
    ///   O(*n* log *n*).
    func change(
        from old: Results, _ follower: ResultsFollower, mayDefer: Bool
    ) throws(ObjectStorageError) -> (change: ResultsChange, new: Results)? {
        follower.recallChanges()
        guard case .found(let finding, let found) = try find(since: old, follower, mayDefer: mayDefer) else {
            return nil
        }
        let change: ResultsChange
        var editor: SectionIndexEditor?
        switch finding {
        case .reload:
            change = ResultsChange(reloading: old.shown, as: shown(found))
        case .compared(let difference): change = try report(difference, old, found, follower.changes)
        case .advanced(let difference, let advancedEditor):
            editor = advancedEditor
            change = try report(difference, old, found, follower.changes)
        }
        if let lookup = found.lookup { cacheLookup = lookup }
        let new = try results(found, editor: editor)
        // An entry none of whose rows changed is saved as well, because it is valid for the new state.
        if let publication = found.publication, try isOfPresent(publication) {
            cacheStore.save(Mutant.staleEntry.isPlanted ? old.index : found.index, for: publication)
        }
        follower.forget()
        return (change, new)
    }

    /// The known difference between two states of the results.
    private enum Finding {
        case advanced(ResultsDifference, SectionIndexEditor)
        case compared(ResultsDifference)
        case reload
    }

    /// The outcome of an attempt to find the present results.
    private enum Attempt {
        case found(Finding, Found)
        /// The change is large, and is computed on another thread.
        case deferred
    }

    private func find(
        since old: Results, _ follower: ResultsFollower, mayDefer: Bool
    ) throws(ObjectStorageError) -> Attempt {
        let container = managedObjectContext.container
        // The state that a context is pinned to does not change.
        let canStamp = !managedObjectContext.isPinned
        let hasUnsavedChanges = try managedObjectContext.showsUnsavedChanges(
            to: request.compiled.tableNames, includingOwn: fetchRequest.includesPendingChanges)
        var dirty: [String]?
        // Unsaved changes, for a child also those of its parent, leave the tables that they touch unstamped
        // in the snapshot, so the tables that another program changed have to be determined beforehand.
        if hasUnsavedChanges, canStamp,
            case .dirty(let names) = try container.state(of: request.compiled.tableNames)
        {
            dirty = names
        }
        var hasStamped = false
        while true {
            if let names = dirty {
                do throws(ObjectStorageError) {
                    try container.repairTracking(of: names)
                } catch {
                    // Without write access, rows that were reported already are recognized by their contents.
                }
                dirty = nil
            }
            let number = requestNumber
            let all =
                isFollowedThroughAllRows(old, follower) ? try request.withoutWindow(container) : nil
            let read = all ?? request
            let answer = try managedObjectContext.withSnapshot(
                of: read.request, columns: read.columns,
                includingPendingChanges: fetchRequest.includesPendingChanges, compiled: read.compiled
            ) { snapshot -> Attempt? in
                // The context may have merged before this snapshot, and an observer of the merge may have
                // replaced the request.
                guard number == requestNumber else { return nil }
                let state = snapshot.includesPendingChanges ? nil : try snapshot.state()
                // Tables that another program changed are stamped, so that its changes are reported only
                // once.
                if case .dirty(let names) = state, canStamp, !hasStamped {
                    dirty = names
                    hasStamped = true
                    return nil
                }
                let mayDefer = mayDefer && !hasUnsavedChanges
                if let all {
                    return try findWindow(since: old, follower, all, in: snapshot, state, mayDefer: mayDefer)
                }
                return try find(since: old, follower, in: snapshot, state, mayDefer: mayDefer)
            }
            if let answer { return answer }
        }
    }

    /// Returns a reader of the rows that changed since some results.
    private func changedRowsReader(
        _ request: ResultsRequest, since old: Results, _ follower: ResultsFollower, in snapshot: StoreSnapshot
    ) -> ChangedRowsReader {
        var reader = ChangedRowsReader(
            request, in: snapshot, of: managedObjectContext, since: old.version,
            previousProvisionalKeys: old.provisionalKeys,
            includesPendingChanges: fetchRequest.includesPendingChanges)
        reader.bulkSaves = follower.changes.bulkSaves
        reader.record = follower.changes
        reader.trustsVacuum = true
        return reader
    }

    /// Whether changes of a window are followed through an index of all rows: fetching the window again takes
    /// longer.
    func isFollowedThroughAllRows(_ old: Results, _ follower: ResultsFollower) -> Bool {
        request.canTakeWindow && !follower.cannotFollowAllRows && old.requestNumber == requestNumber
            && prepared == nil && (old.window != nil || follower.windowDuration >= windowThreshold)
    }

    /// Makes the outcome of an update in a snapshot. If the tables are stamped, the outcome has the request
    /// to save the index under.
    private func found(
        _ index: SectionIndex, in snapshot: StoreSnapshot, _ version: ResultsVersion, _ stamped: StoreState?
    ) -> Found {
        var found = Found(
            index: index, lookup: nil, provisionalObjects: snapshot.provisionalObjects, version: version)
        if let cacheName, let stamped {
            found.publication = request.cacheRequest(cacheName, stamped)
            found.tables = stamped.tables
        }
        return found
    }

    /// Finds a window through the index of all rows.
    ///
    /// - Returns: Nil if the order does not keep the sections of all rows together, although it may do so for
    ///   the window, or if rows of the index can no longer be read.
    private func findWindow(
        since old: Results, _ follower: ResultsFollower, _ all: ResultsRequest, in snapshot: StoreSnapshot,
        _ state: StoreStateResult?, mayDefer: Bool
    ) throws -> Attempt? {
        let stamped: StoreState? = if case .stamped(let state) = state { state } else { nil }
        var reader = changedRowsReader(all, since: old, follower, in: snapshot)
        let reading = try reader.read(listed: follower.changes.changes, stamped: stamped?.tables)
        if mayDefer, reading.isLarge || old.window == nil, canDefer(old) { return .deferred }
        var window: ResultsWindow?
        if let earlier = old.window, case .known(let rows) = reading, rows.isComplete {
            var advance = try IncrementalIndexUpdate(
                all, from: earlier.index, by: rows, in: snapshot, sortKeyCache: follower.sortKeyCache)
            window = try advance.run(earlier.editor).map {
                ResultsWindow($0.index, editor: earlier.editor)
            }
        }
        do {
            window = try window ?? ResultsWindow(SectionIndexComputation.compute(all, in: snapshot))
        } catch let error as ObjectStorageError where error.code == .ungroupedSections {
            follower.cannotFollowAllRows = true
            return nil
        }
        let taken = Mutant.windowStays.isPlanted ? old.window?.index ?? window?.index : window?.index
        guard let window, let taken, let index = request.window(of: taken) else {
            follower.cannotFollowAllRows = true
            return nil
        }
        var finding = Finding.reload
        if case .known(let rows) = reading,
            let difference = ResultsDifference(from: old.rows, to: index, rows)
        {
            finding = .compared(difference)
        }
        var found = found(index, in: snapshot, reader.newVersion, stamped)
        found.window = window
        return .found(finding, found)
    }

    private func find(
        since old: Results, _ follower: ResultsFollower, in snapshot: StoreSnapshot,
        _ state: StoreStateResult?, mayDefer: Bool
    ) throws -> Attempt {
        let stamped: StoreState? = if case .stamped(let state) = state { state } else { nil }
        var reader = changedRowsReader(request, since: old, follower, in: snapshot)
        let reading = try reader.read(listed: follower.changes.changes, stamped: stamped?.tables)
        if mayDefer, reading.isLarge, canDefer(old) { return .deferred }
        guard old.requestNumber == requestNumber else {
            let found =
                if let prepared { try find(in: snapshot, prepared) } else {
                    try find(in: snapshot, cacheName: cacheName)
                }
            // Keys of another table identify other objects.
            guard old.rows.hasSameKeys(as: request), case .known(let rows) = reading,
                let difference = preparedDifference(from: old, to: found)
                    ?? (isComparedQuickly(old, found.index)
                        ? ResultsDifference(from: old.rows, to: found.index, rows) : nil)
            else { return .found(.reload, found) }
            return .found(.compared(difference), found)
        }
        var finding = Finding.reload
        var index: SectionIndex?
        if case .known(let rows) = reading {
            if let updates = try updatesInPlace(old, rows, follower, reader.newVersion, in: snapshot) {
                finding = .advanced(
                    ResultsDifference(sectionEvents: [], rows: updates, causes: rows.causes), old.editor)
                index = old.index
            } else if rows.isComplete, !old.rows.isUnreadable {
                var advance = try IncrementalIndexUpdate(
                    request, from: old.index, by: rows, in: snapshot, sortKeyCache: follower.sortKeyCache)
                if let outcome = try advance.run(old.editor) {
                    finding = .advanced(
                        ResultsDifference(
                            sectionEvents: advance.sectionEvents(of: outcome),
                            rows: advance.rowEvents(of: outcome), causes: rows.causes), old.editor)
                    index = outcome.index
                }
            }
            if index == nil {
                let start = ContinuousClock.now
                let new = try SectionIndexComputation.compute(request, in: snapshot)
                if request.isWindow { follower.noteWindowFetch(ContinuousClock.now - start) }
                index = new
                if let difference = ResultsDifference(from: old.rows, to: new, rows) {
                    finding = .compared(difference)
                }
            }
        }
        var found = found(
            try index ?? SectionIndexComputation.compute(request, in: snapshot), in: snapshot,
            reader.newVersion, stamped)
        #if Mutants
        if Mutant.publishedBeforeCommit.isPlanted, let cacheName, snapshot.includesPendingChanges {
            found.publication = try publicationBeforeCommit(cacheName)
        }
        #endif
        return .found(finding, found)
    }

    /// Returns the difference that another thread computed, if it is the difference between these results.
    private func preparedDifference(from old: Results, to found: Found) -> ResultsDifference? {
        guard let prepared, prepared.old === old.rows, found.version.tables == prepared.tables,
            !old.version.includesUnsavedChanges, !found.version.includesUnsavedChanges
        else { return nil }
        return prepared.difference
    }

    /// Whether all rows may be compared: the comparison takes only some milliseconds, or the results were not
    /// computed on another thread, in which case the fetch may take any time.
    private func isComparedQuickly(_ old: Results, _ new: SectionIndex) -> Bool {
        prepared == nil || old.index.numberOfRows + new.numberOfRows < Self.mostRowsToCompare
    }

    /// The number of rows that are compared in some milliseconds.
    static var mostRowsToCompare: Int { 20_000 }
}
