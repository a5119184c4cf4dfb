import ObjectStorage

extension FetchedResultsController {
    /// The delegates that receive changes: ``delegate``, then ``sharedDelegate``.
    var trackingDelegates: [any FetchedResultsControllerDelegate<Object>] {
        var delegates: [any FetchedResultsControllerDelegate<Object>] = []
        if let delegate, delegate.tracksChanges { delegates.append(delegate) }
        if let sharedDelegate, sharedDelegate.tracksChanges {
            delegates.append(SharedDelegateForwarder(sharedDelegate))
        }
        return delegates
    }

    /// Whether a delegate, a listener or the observer receives changes.
    var hasListeners: Bool { observer != nil || hasListenersOfApp }

    /// Whether a delegate or a listener receives changes.
    var hasListenersOfApp: Bool {
        delegate?.tracksChanges ?? false || sharedDelegate?.tracksChanges ?? false
            || !(listeners?.isEmpty ?? true)
    }

    /// Whether a delegate that followed changes was released before another was assigned.
    var hasLostDelegate: Bool {
        hasDelegate && delegate == nil || hasSharedDelegate && sharedDelegate == nil
    }

    /// Notifies the delegates and the observer of a failure.
    func notifyOfFailure(_ error: ObjectStorageError) {
        for delegate in trackingDelegates { delegate.controller(self, didFailToFollowChanges: error) }
        observer?.trackingErrorChanged()
    }

    /// Returns the delegates' title for a section's name.
    func delegateTitle(_ name: String) -> String? {
        delegate?.controller(self, sectionIndexTitleForSectionName: name)
            ?? sharedDelegate?.controller(self, sectionIndexTitleForSectionName: name)
    }

    /// Delivers a change. The delegates may reset the context in any of these calls; then only the end of the
    /// change is delivered.
    func deliver(_ change: ResultsChange, from old: Results, to new: Results) {
        let delegates = trackingDelegates
        for delegate in delegates { delegate.controllerWillChangeContent(self) }
        if shows(old) { results = new }
        if !delegates.isEmpty {
            for event in change.events {
                for delegate in delegates where shows(new) {
                    switch event {
                    case .section(let event): delegate.controller(self, didChangeSection: event)
                    case .subsection(let event): delegate.controller(self, didChangeSubsection: event)
                    case .row(let event): delegate.controller(self, didChangeObject: event)
                    }
                }
            }
            for delegate in delegates { delegate.controllerDidChangeContent(self) }
            for delegate in delegates where shows(new) {
                delegate.controller(self, didChangeContentWith: change)
            }
            if shows(new) {
                let snapshot = snapshot(of: new, after: change)
                for delegate in delegates where shows(new) {
                    delegate.controller(self, didChangeContentWith: snapshot)
                }
            }
        }
        guard shows(new) else { return }
        listeners?.yield(change)
        announceResults(after: change)
    }

    private func shows(_ some: Results) -> Bool { results?.rows === some.rows }
}
