extension PersistentContainer {
    /// Makes a context. It is confined to the isolation that made it.
    public func newContext() -> ManagedObjectContext { ManagedObjectContext(container: self) }
}
