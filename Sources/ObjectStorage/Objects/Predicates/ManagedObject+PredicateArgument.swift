extension ManagedObject: PredicateArgument {
    /// A constant with the object's identity.
    public final var predicateConstant: PredicateConstant { PredicateConstant(objectID) }
}
