extension ObjectID {
    /// Creates the identity of a row that a child context reads.
    package init(entityName: String, keyInChild key: Int64, in container: PersistentContainer) {
        self.init(entityName: entityName, key: Key(inChild: key), of: container.temporaryIdentities)
    }
}
