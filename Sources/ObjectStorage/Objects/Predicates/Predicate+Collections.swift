/// Predicates about the objects at the other end of a to-many relationship.
extension FetchRequest.Predicate {
    /// True for objects with at least one related object that satisfies a predicate; false for objects
    /// without related objects.
    ///
    /// ```swift
    /// .any(\.artworks, \.year > 1900)  // ANY artworks.year > 1900
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a to-many relationship, through declared properties. One that computes a
    ///     value traps.
    ///   - predicate: The condition on a related object.
    public static func any<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, Set<Destination>>, _ predicate: FetchRequest<Destination>.Predicate
    ) -> Self {
        let path = ManagedObject.propertyPath(of: keyPath)
        return Self(
            predicate.tree.quantified(.any, of: path) ?? .count(path, predicate.tree, .greaterThan, 0))
    }

    /// True for objects whose related objects all satisfy a predicate, including objects without related
    /// objects.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a to-many relationship, through declared properties. One that computes a
    ///     value traps.
    ///   - predicate: The condition on each related object.
    public static func all<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, Set<Destination>>, _ predicate: FetchRequest<Destination>.Predicate
    ) -> Self {
        let path = ManagedObject.propertyPath(of: keyPath)
        return Self(
            predicate.tree.quantified(.all, of: path) ?? .count(path, .not(predicate.tree), .equal, 0))
    }

    /// True for objects without a related object that satisfies a predicate, including objects without
    /// related objects.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a to-many relationship, through declared properties. One that computes a
    ///     value traps.
    ///   - predicate: The condition that no related object satisfies.
    public static func none<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, Set<Destination>>, _ predicate: FetchRequest<Destination>.Predicate
    ) -> Self {
        let path = ManagedObject.propertyPath(of: keyPath)
        return Self(predicate.tree.quantified(.none, of: path) ?? .count(path, predicate.tree, .equal, 0))
    }

    /// Compares the number of related objects, or of those that satisfy a predicate, with a constant.
    ///
    /// ```swift
    /// .count(of: \.artworks, where: \.year > 1900, .greaterThan, 2)
    /// // SUBQUERY(artworks, $x, $x.year > 1900).@count > 2
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a to-many relationship, through declared properties. One that computes a
    ///     value traps.
    ///   - predicate: The condition on the related objects that are counted; nil to count all.
    ///   - comparison: The relation between the number of objects, on the left, and the constant.
    ///   - number: The constant.
    public static func count<Destination: ManagedObject>(
        of keyPath: KeyPath<Object, Set<Destination>>,
        where predicate: FetchRequest<Destination>.Predicate? = nil,
        _ comparison: Comparison, _ number: Int
    ) -> Self {
        Self(
            .count(
                ManagedObject.propertyPath(of: keyPath), predicate?.tree, comparison.relation, Int64(number)))
    }
}
