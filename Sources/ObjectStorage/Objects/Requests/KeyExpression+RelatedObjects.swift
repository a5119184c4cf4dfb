extension KeyExpression {
    /// Returns the number of objects to which a Swift key path leads.
    ///
    /// ```swift
    /// FetchRequest<Artist>(sortDescriptors: [.descending(.count(of: \Artist.albums)), .ascending(\.name)])
    /// ```
    ///
    /// - Parameter keyPath: The key path of a to-many relationship, through declared properties.
    public static func count<Object: ManagedObject, Related: RelationshipValue>(
        of keyPath: KeyPath<Object, Related>
    ) -> Self { .count(of: ManagedObject.propertyPath(of: keyPath)) }

    /// Returns the sum of an attribute of the objects to which a Swift key path leads; 0 if there are none.
    ///
    /// - Parameters:
    ///   - attribute: The key path of a number from each related object. One that computes a value traps.
    ///   - keyPath: The key path of a to-many relationship, through declared properties.
    public static func sum<Object: ManagedObject, Related: RelationshipValue, Member: ManagedObject, Value>(
        of attribute: KeyPath<Member, Value>, in keyPath: KeyPath<Object, Related>
    ) -> Self {
        .sum(of: ManagedObject.propertyPath(of: attribute), in: ManagedObject.propertyPath(of: keyPath))
    }

    /// Returns the average of an attribute of the objects to which a Swift key path leads; missing if no
    /// object has a value.
    ///
    /// - Parameters:
    ///   - attribute: The key path of a number from each related object. One that computes a value traps.
    ///   - keyPath: The key path of a to-many relationship, through declared properties.
    public static func average<
        Object: ManagedObject, Related: RelationshipValue, Member: ManagedObject, Value
    >(of attribute: KeyPath<Member, Value>, in keyPath: KeyPath<Object, Related>) -> Self {
        .average(of: ManagedObject.propertyPath(of: attribute), in: ManagedObject.propertyPath(of: keyPath))
    }

    /// Returns the smallest value of an attribute of the objects to which a Swift key path leads; missing if
    /// no object has a value.
    ///
    /// - Parameters:
    ///   - attribute: The key path of an attribute from each related object. One that computes a value traps.
    ///   - keyPath: The key path of a to-many relationship, through declared properties.
    public static func minimum<
        Object: ManagedObject, Related: RelationshipValue, Member: ManagedObject, Value
    >(of attribute: KeyPath<Member, Value>, in keyPath: KeyPath<Object, Related>) -> Self {
        .minimum(of: ManagedObject.propertyPath(of: attribute), in: ManagedObject.propertyPath(of: keyPath))
    }

    /// Returns the largest value of an attribute of the objects to which a Swift key path leads; missing if
    /// no object has a value.
    ///
    /// - Parameters:
    ///   - attribute: The key path of an attribute from each related object. One that computes a value traps.
    ///   - keyPath: The key path of a to-many relationship, through declared properties.
    public static func maximum<
        Object: ManagedObject, Related: RelationshipValue, Member: ManagedObject, Value
    >(of attribute: KeyPath<Member, Value>, in keyPath: KeyPath<Object, Related>) -> Self {
        .maximum(of: ManagedObject.propertyPath(of: attribute), in: ManagedObject.propertyPath(of: keyPath))
    }
}
