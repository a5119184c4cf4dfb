extension ManagedObject: PredicateArgument {
    /// The object, by its identity.
    public final var predicateConstant: PredicateConstant { PredicateConstant(objectID) }
}
