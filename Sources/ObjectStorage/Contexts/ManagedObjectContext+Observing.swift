extension ManagedObjectContext {
    /// Adds an observer whose `body` is called, in the context's isolation, after each save, merge, rollback
    /// and reset, and after unsaved changes were processed, while `observer` exists.
    ///
    /// - Parameters:
    ///   - observer: The object that identifies the observation. It is held weakly, so `body` should also
    ///     hold it weakly.
    ///   - body: Called after the objects are in the state that the event describes. It may fetch and change
    ///     objects.
    public func addObserver(_ observer: AnyObject, _ body: @escaping (ContextEvent) -> Void) {
        observers.removeAll { $0.observer == nil }
        observers.append(ContextObserver(observer: observer, body: body))
        mailbox?.isObserved = true
    }

    /// Removes all observations of `observer`.
    ///
    /// - Parameter observer: The object that was passed to ``addObserver(_:_:)``. An object that observes
    ///   nothing has no effect.
    public func removeObserver(_ observer: AnyObject) {
        observers.removeAll { $0.observer == nil || $0.observer === observer }
        mailbox?.isObserved = !observers.isEmpty
    }

    /// Notifies all observers of an event.
    func notify(_ event: ContextEvent) {
        for observer in observers where observer.observer != nil { observer.body(event) }
    }
}
