extension PersistentContainer {
    /// Creates a context, which is confined to the isolation that creates it.
    public func newContext() -> ManagedObjectContext { ManagedObjectContext(container: self) }
}
