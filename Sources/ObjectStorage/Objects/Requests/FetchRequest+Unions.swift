extension FetchRequest where Object == ManagedObject {
    /// Creates a request for the objects of several entities.
    ///
    /// ```swift
    /// let request = FetchRequest(for: MediaItem.self, sortDescriptors: [.ascending(\.title, of:
    /// MediaItem.self)])
    /// ```
    ///
    /// A context can fetch, count and list the objects, and a results controller can show them, with one
    /// cache entry. The predicate, the order and the sections read attributes and to-one relationships that
    /// are the same in all entities: with the same name, type, destination and storage. Objects of
    /// sub-entities are included. The keys of rows must be between −2⁵⁵ and 2⁵⁵−1; another key is an error
    /// that names it.
    ///
    /// No index of the tables has the order of all of them, so SQLite reads all rows for the first ones: the
    /// list has no first screen before it is complete, and a limit does not make it faster.
    ///
    /// - Parameters:
    ///   - union: The classes of the objects.
    ///   - predicate: The predicate that objects must satisfy; nil for all objects.
    ///   - sortDescriptors: The order; objects that it leaves equal are in the sequence of
    ///     ``ObjectUnion/members``, and among themselves ordered by key.
    public init<Union: ObjectUnion>(
        for union: Union.Type, predicate: Predicate? = nil, sortDescriptors: [SortDescriptor] = []
    ) {
        self.init(
            entityNames: Union.entityNames, predicate: predicate, sortDescriptors: sortDescriptors)
    }

    /// Creates a request for the objects of several entities, given by their names. See
    /// ``init(for:predicate:sortDescriptors:)``.
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
    public static func ascending<Union: ObjectUnion, Value>(
        _ keyPath: KeyPath<Union.SharedProperties, Value>, of union: Union.Type, order: TextOrder = .binary,
        nulls: NullOrder = .smallest
    ) -> Self {
        .ascending(.path(Union.path(to: keyPath)), order: order, nulls: nulls)
    }

    /// Sorts in descending order of a property that all classes of a union share.
    public static func descending<Union: ObjectUnion, Value>(
        _ keyPath: KeyPath<Union.SharedProperties, Value>, of union: Union.Type, order: TextOrder = .binary,
        nulls: NullOrder = .smallest
    ) -> Self {
        .descending(.path(Union.path(to: keyPath)), order: order, nulls: nulls)
    }
}
