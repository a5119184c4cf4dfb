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
        let runtime = try context.runtime(for: request)
        try context.checkPrefetching(
            request.relationshipKeyPathsForPrefetching, of: runtime.description)
        loader = ObjectBatchLoader(
            count: count, batchSize: request.fetchBatchSize > 0 ? request.fetchBatchSize : 20,
            runtime: runtime, prefetchedPaths: request.relationshipKeyPathsForPrefetching,
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
    /// - Complexity: O(*b* log *m*) to read a batch of *b* rows, else O(1).
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

/// Reads rows in batches and retains the objects of the four batches used last, because a context holds them
/// weakly.
final class ObjectBatchLoader {
    private static let keptBatches = 4
    private let count: Int
    private let batchSize: Int
    private let runtime: EntityRuntime
    private let prefetchedPaths: [String]
    private let context: ManagedObjectContext
    private let provisionalObjects: [Int64: ManagedObject]
    private let keys: (Range<Int>) throws(ObjectStorageError) -> [Int64]
    /// The most recently used batches, the latest at the end.
    private var batches: [(number: Int, objects: [ManagedObject])] = []

    init(
        count: Int, batchSize: Int, runtime: EntityRuntime, prefetchedPaths: [String],
        context: ManagedObjectContext,
        provisionalObjects: [Int64: ManagedObject],
        keys: @escaping (Range<Int>) throws(ObjectStorageError) -> [Int64]
    ) {
        self.count = count
        self.batchSize = batchSize
        self.runtime = runtime
        self.prefetchedPaths = prefetchedPaths
        self.context = context
        self.provisionalObjects = provisionalObjects
        self.keys = keys
    }

    var isOfResetContext: Bool { runtime.context == nil }

    func object(at position: Int) -> ManagedObject {
        let number = position / batchSize
        if let last = batches.last, last.number == number { return last.objects[position % batchSize] }
        if let index = batches.firstIndex(where: { $0.number == number }) {
            batches.append(batches.remove(at: index))
        } else {
            if batches.count == Self.keptBatches { batches.removeFirst() }
            batches.append((number, load(number)))
        }
        return batches[batches.count - 1].objects[position % batchSize]
    }

    private func load(_ number: Int) -> [ManagedObject] {
        let first = number * batchSize
        let positions = first..<min(first + batchSize, count)
        let keys: [Int64]
        do throws(ObjectStorageError) {
            keys = try self.keys(positions)
        } catch {
            return Array(repeating: context.lostObject(runtime, because: error), count: positions.count)
        }
        let saved = keys.filter { provisionalObjects[$0] == nil }
        var objects: [ManagedObject]
        do {
            guard runtime.context != nil else {
                // The context was reset. Its former objects have a corresponding read error.
                return keys.map { provisionalObjects[$0] ?? context.object(forKey: $0, runtime: runtime) }
            }
            objects = try context.objects(forKeys: saved, runtime: runtime)
            runtime.registry.kinds?.note(objects)
            try context.prefetch(prefetchedPaths, of: objects, runtime: runtime)
        } catch {
            // A property cannot throw, so the objects remain faults with the error as their `readError`.
            objects = saved.map { context.object(forKey: $0, runtime: runtime) }
            for object in objects { object.readError = error }
        }
        guard saved.count < keys.count else { return objects }
        objects.reverse()
        return keys.map { provisionalObjects[$0] ?? objects.removeLast() }
    }
}
