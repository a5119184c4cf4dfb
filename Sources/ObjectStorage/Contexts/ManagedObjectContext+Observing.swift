extension ManagedObjectContext {
    /// Has `body` called after each save, merge, rollback and reset, and whenever unsaved changes were
    /// processed, in the context's isolation, as long as `observer` lives.
    ///
    /// - Parameters:
    ///   - observer: Whose interest it is. Held weakly, so `body` should hold it weakly, too.
    ///   - body: Called when the objects are as the event says. It may fetch and change objects.
    public func addObserver(_ observer: AnyObject, _ body: @escaping (ContextEvent) -> Void) {
        observers.removeAll { $0.observer == nil }
        observers.append(ContextObserver(observer: observer, body: body))
    }

    /// Calls nothing of `observer` any more.
    public func removeObserver(_ observer: AnyObject) {
        observers.removeAll { $0.observer == nil || $0.observer === observer }
    }

    /// Tells all observers.
    func notify(_ event: ContextEvent) {
        for observer in observers where observer.observer != nil { observer.body(event) }
    }
}
