/// A description of the objects to fetch: an entity, a predicate, an order, and a limit.
///
/// A request is a value: changing one does not affect controllers that were created with it.
///
/// ```swift
/// let request = FetchRequest<Artwork>(
///     predicate: \.year > 1900 && .beginsWith(\.title, "A"),
///     sortDescriptors: [.ascending(\.title, order: .localized(Locale(identifier: "de")))])
/// ```
public struct FetchRequest<Object: ManagedObject>: Hashable, Sendable {
    /// The entity to fetch.
    public var entityName: String
    /// The predicate that objects must satisfy; nil for all objects.
    public var predicate: Predicate?
    /// Whether the results include objects of entities that inherit from the entity.
    public var includesSubentities: Bool
    /// The order of the results. Objects that are equal in all terms are ordered by key, so that every order
    /// is total.
    public var sortDescriptors: [SortDescriptor]
    /// The greatest number of objects to fetch, or 0 for all.
    public var fetchLimit: Int
    /// The number of objects to skip at the beginning.
    public var fetchOffset: Int
    /// The number of rows that a lazy result reads at a time, or 0 for a default of 20.
    public var fetchBatchSize: Int
    /// Whether the context's unsaved changes are included, as if they had been saved.
    public var includesPendingChanges: Bool
    /// The relationships, as dotted key paths, whose objects are read together with the objects of the
    /// request: with all objects of a fetch, and with each batch of a lazy result. See ``prefetching(_:)``.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The dotted key paths to properties of related objects that an application shows for each object,
    /// although the request does not read them. A results controller reports an update of a row if such a
    /// property changes. See ``displaying(_:)``.
    public var displayedKeyPaths: [String] = []

    /// Creates a request for the entity of a class.
    ///
    /// - Parameters:
    ///   - entityName: The entity, if it is not the class's own: needed for `FetchRequest<ManagedObject>`.
    ///   - predicate: The predicate that objects must satisfy; nil for all objects.
    ///   - sortDescriptors: The order; objects that it leaves equal are ordered by key.
    ///   - fetchLimit: The greatest number of objects, or 0 for all.
    ///   - fetchOffset: The number of objects to skip at the beginning, not negative.
    ///   - fetchBatchSize: The number of rows that a lazy result reads at a time, or 0 for a default of 20.
    ///   - includesPendingChanges: Whether the context's unsaved changes are included, as if they had been
    ///     saved.
    ///   - includesSubentities: Whether the results include objects of entities that inherit from the entity.
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

    /// Returns the request with a relationship added to those that are prefetched.
    ///
    /// ```swift
    /// let request = FetchRequest<Work>().prefetching(\.author)
    /// ```
    ///
    /// The rows at the other end are read by one statement for several hundred objects. Relationships are
    /// then followed without reading the store until the context saves, merges or refreshes something.
    ///
    /// - Parameter keyPath: The key path of a relationship, which may lead through other relationships to one
    ///   object.
    public func prefetching<Related: RelationshipValue>(_ keyPath: KeyPath<Object, Related>) -> Self {
        var request = self
        request.relationshipKeyPathsForPrefetching.append(ManagedObject.propertyPath(of: keyPath))
        return request
    }

    /// Returns the request with a key path added to those that an application shows for each object.
    ///
    /// ```swift
    /// let request = FetchRequest<Work>(sortDescriptors: [.ascending(\.title)]).displaying(\.author?.name)
    /// ```
    ///
    /// A results controller of this request follows the authors as well, and reports an update of each work
    /// whose author is renamed. Without the key path, only properties that the predicate, the order or the
    /// sections read are followed through relationships. The key path may end with a to-many relationship,
    /// whose changes are then reported. The tables of the related objects become part of the request: a
    /// change of these objects advances its cache entry.
    ///
    /// - Parameter keyPath: The key path of a property of a related object, through declared properties. One
    ///   that computes a value traps.
    public func displaying<Value>(_ keyPath: KeyPath<Object, Value>) -> Self {
        var request = self
        request.displayedKeyPaths.append(ManagedObject.propertyPath(of: keyPath))
        return request
    }

    /// The request without its Swift type.
    package var description: RequestDescription {
        RequestDescription(
            entityName: entityName, predicate: predicate?.tree, sort: sortDescriptors.map(\.term),
            limit: fetchLimit, offset: fetchOffset, includesSubentities: includesSubentities,
            displayedPaths: displayedKeyPaths)
    }
}
