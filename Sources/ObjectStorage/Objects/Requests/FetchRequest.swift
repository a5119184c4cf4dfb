/// What to fetch: an entity, which of its objects, in which order, and how many.
///
/// A request is a value: changing one changes no controller that was made with it.
///
/// ```swift
/// let request = FetchRequest<Artwork>(
///     predicate: \.year > 1900 && .beginsWith(\.title, "A"),
///     sortDescriptors: [.ascending(\.title, order: .localized(Locale(identifier: "de")))])
/// ```
public struct FetchRequest<Object: ManagedObject>: Hashable, Sendable {
    /// The entity to fetch.
    public var entityName: String
    /// Which objects; all if nil.
    public var predicate: Predicate?
    /// Whether objects of entities that inherit from the entity are found as well.
    public var includesSubentities: Bool
    /// The order. Objects that are equal in all of it follow in the order of their keys, so that every order
    /// is total.
    public var sortDescriptors: [SortDescriptor]
    /// The greatest number of objects to fetch, or 0 for all.
    public var fetchLimit: Int
    /// How many objects to leave out at the beginning.
    public var fetchOffset: Int
    /// How many rows a lazy result reads at a time, or 0 for a default of 20.
    public var fetchBatchSize: Int
    /// Whether the context's unsaved changes take part, as if they had been saved.
    public var includesPendingChanges: Bool
    /// Relationships, as dotted key paths, whose objects are read together with the objects of the request:
    /// with all of a fetch, with each batch of a list. See ``prefetching(_:)``.
    public var relationshipKeyPathsForPrefetching: [String] = []

    /// Makes a request for the entity of a class.
    ///
    /// - Parameters:
    ///   - entityName: The entity, if it is not that of the class: needed for `FetchRequest<ManagedObject>`.
    ///   - predicate: Which objects; all if nil.
    ///   - sortDescriptors: The order; the keys of objects decide where it leaves two equal.
    ///   - fetchLimit: The greatest number of objects, or 0 for all.
    ///   - fetchOffset: How many objects to leave out at the beginning, not negative.
    ///   - fetchBatchSize: How many rows a lazy result reads at a time, or 0 for a default of 20.
    ///   - includesPendingChanges: Whether the context's unsaved changes take part, as if they had been
    ///     saved.
    ///   - includesSubentities: Whether objects of entities that inherit from it are found as well.
    public init(
        entityName: String? = nil, predicate: Predicate? = nil, sortDescriptors: [SortDescriptor] = [],
        fetchLimit: Int = 0, fetchOffset: Int = 0, fetchBatchSize: Int = 0,
        includesPendingChanges: Bool = true, includesSubentities: Bool = true
    ) {
        self.entityName = entityName ?? Object.entityName
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.fetchLimit = fetchLimit
        self.fetchOffset = fetchOffset
        self.fetchBatchSize = fetchBatchSize
        self.includesPendingChanges = includesPendingChanges
        self.includesSubentities = includesSubentities
    }

    /// The request with a relationship added to those that are prefetched.
    ///
    /// ```swift
    /// let request = FetchRequest<Work>().prefetching(\.author)
    /// ```
    ///
    /// The rows at the other end are read by one statement for some hundred objects, and relationships are
    /// followed without asking the store until the context saves, merges or refreshes something.
    public func prefetching<Related: RelationshipValue>(_ keyPath: KeyPath<Object, Related>) -> Self {
        var request = self
        request.relationshipKeyPathsForPrefetching.append(ManagedObject.propertyPath(of: keyPath))
        return request
    }

    /// The request without its Swift type.
    package var description: RequestDescription {
        RequestDescription(
            entityName: entityName, predicate: predicate?.tree, sort: sortDescriptors.map(\.term),
            limit: fetchLimit, offset: fetchOffset, includesSubentities: includesSubentities)
    }
}
