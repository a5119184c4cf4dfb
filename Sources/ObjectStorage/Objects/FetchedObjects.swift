/// The objects of a fetch in order, whose rows are read in batches on access.
///
/// The order is fixed at the time of the fetch. For a row that was deleted since, the object's
/// ``ManagedObject/readError`` describes the failure.
public struct FetchedObjects<Object: ManagedObject>: RandomAccessCollection {
    private let loader: ObjectBatchLoader
    /// The range of positions that this collection shows; a section shows a part of the whole.
    private let positions: Range<Int>

    /// Creates a collection over keys that the caller provides.
    ///
    /// - Parameters:
    ///   - keys: Returns the keys at some positions. If it throws, the objects at these positions have the
    ///     error as their `readError`.
    package init(
        count: Int, request: FetchRequest<Object>, context: ManagedObjectContext,
        provisionalObjects: [Int64: ManagedObject],
        keys: @escaping (Range<Int>) throws(ObjectStorageError) -> [Int64]
    ) throws(ObjectStorageError) {
        let listed = try context.listedEntities(of: request)
        try listed.checkPrefetching(request.relationshipKeyPathsForPrefetching, in: context)
        loader = ObjectBatchLoader(
            count: count, batchSize: request.fetchBatchSize > 0 ? request.fetchBatchSize : 20,
            listed: listed, prefetchedPaths: request.relationshipKeyPathsForPrefetching,
            context: context, provisionalObjects: provisionalObjects, keys: keys)
        positions = 0..<count
    }

    private init(loader: ObjectBatchLoader, positions: Range<Int>) {
        self.loader = loader
        self.positions = positions
    }

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { positions.count }

    /// The object at a position.
    ///
    /// - Parameter position: A position from 0 to the number of objects − 1. Any other traps.
    /// - Complexity: O(*b* log *m*) to read a batch of *b* rows from a table of *m* rows; otherwise O(1).
    public subscript(position: Int) -> Object {
        precondition(
            indices.contains(position),
            "Position \(position) is outside the \(positions.count) fetched objects.")
        return unsafeDowncast(loader.object(at: positions.lowerBound + position), to: Object.self)
    }

    /// Whether the context was reset after the fetch, so that its objects are gone.
    package var isOfResetContext: Bool { loader.isOfResetContext }

    /// Returns the objects at some positions as a collection that begins at 0.
    package func part(_ part: Range<Int>) -> FetchedObjects {
        FetchedObjects(
            loader: loader,
            positions: positions.lowerBound + part.lowerBound..<positions.lowerBound + part.upperBound)
    }
}
