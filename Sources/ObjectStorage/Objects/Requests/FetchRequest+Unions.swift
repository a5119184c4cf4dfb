extension FetchRequest where Object == ManagedObject {
    /// Creates a request for the objects of several entities.
    ///
    /// ```swift
    /// let request = FetchRequest(
    ///     for: MediaItem.self, sortDescriptors: [.ascending(\.title, of: MediaItem.self)])
    /// ```
    ///
    /// A context can fetch, count and list the objects, and a results controller can show them, with one
    /// cache entry. The predicate, the order and the sections can use attributes and to-one relationships
    /// that have the same name, type, destination and storage in all entities. Objects of sub-entities are
    /// included. The keys of rows must be between −2⁵⁵ and 2⁵⁵−1. A fetch that finds another key throws an
    /// error that names it.
    ///
    /// No index covers several tables, so SQLite reads all rows before it returns the first. The list
    /// therefore has no first screen before it is complete, and a limit does not make the fetch faster.
    ///
    /// - Parameters:
    ///   - union: The classes of the objects.
    ///   - predicate: The predicate that objects must satisfy; nil for all objects.
    ///   - sortDescriptors: The order. Objects that it leaves equal follow the sequence of
    ///     ``ObjectUnion/members``, and objects of one member the order of their keys.
    public init<Union: ObjectUnion>(
        for union: Union.Type, predicate: Predicate? = nil, sortDescriptors: [SortDescriptor] = []
    ) {
        self.init(
            entityNames: Union.entityNames, predicate: predicate, sortDescriptors: sortDescriptors)
    }

    /// Creates a request for the objects of several entities, given by their names. See
    /// ``init(for:predicate:sortDescriptors:)``.
    ///
    /// - Parameters:
    ///   - entityNames: The names of the entities. Objects that the order leaves equal follow the sequence of
    ///     the names.
    ///   - predicate: The predicate that objects must satisfy; nil for all objects.
    ///   - sortDescriptors: The order.
    public init(
        entityNames: [String], predicate: Predicate? = nil, sortDescriptors: [SortDescriptor] = []
    ) {
        self.init(
            entityName: entityNames.joined(separator: String(EntityUnion.separator)), predicate: predicate,
            sortDescriptors: sortDescriptors)
    }
}

extension FetchRequest.SortDescriptor where Object == ManagedObject {
    /// Sorts in ascending order of a property that all classes of a union share.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property, from ``ObjectUnion/SharedProperties``.
    ///   - union: The type that lists the classes of the objects, as in the request.
    ///   - order: The order of texts.
    ///   - nulls: The position of objects without a value.
    public static func ascending<Union: ObjectUnion, Value>(
        _ keyPath: KeyPath<Union.SharedProperties, Value>, of union: Union.Type, order: TextOrder = .binary,
        nulls: NullOrder = .smallest
    ) -> Self {
        .ascending(.path(Union.path(to: keyPath)), order: order, nulls: nulls)
    }

    /// Sorts in descending order of a property that all classes of a union share.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property, from ``ObjectUnion/SharedProperties``.
    ///   - union: The type that lists the classes of the objects, as in the request.
    ///   - order: The order of texts.
    ///   - nulls: The position of objects without a value.
    public static func descending<Union: ObjectUnion, Value>(
        _ keyPath: KeyPath<Union.SharedProperties, Value>, of union: Union.Type, order: TextOrder = .binary,
        nulls: NullOrder = .smallest
    ) -> Self {
        .descending(.path(Union.path(to: keyPath)), order: order, nulls: nulls)
    }
}
