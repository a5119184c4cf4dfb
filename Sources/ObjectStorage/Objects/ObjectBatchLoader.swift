/// Reads rows in batches and retains the objects of the four batches used last, because a context holds them
/// weakly.
final class ObjectBatchLoader {
    private static let keptBatches = 4
    private let count: Int
    private let batchSize: Int
    private let listed: ListedEntities
    private let prefetchedPaths: [String]
    private let context: ManagedObjectContext
    private let provisionalObjects: [Int64: ManagedObject]
    private let keys: (Range<Int>) throws(ObjectStorageError) -> [Int64]
    /// The most recently used batches, the latest at the end.
    private var batches: [(number: Int, objects: [ManagedObject])] = []

    init(
        count: Int, batchSize: Int, listed: ListedEntities, prefetchedPaths: [String],
        context: ManagedObjectContext,
        provisionalObjects: [Int64: ManagedObject],
        keys: @escaping (Range<Int>) throws(ObjectStorageError) -> [Int64]
    ) {
        self.count = count
        self.batchSize = batchSize
        self.listed = listed
        self.prefetchedPaths = prefetchedPaths
        self.context = context
        self.provisionalObjects = provisionalObjects
        self.keys = keys
    }

    var isOfResetContext: Bool { listed.areOfResetContext }

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
            return Array(
                repeating: context.lostObject(listed.runtimes[0], because: error), count: positions.count)
        }
        let saved = keys.filter { provisionalObjects[$0] == nil }
        var objects: [ManagedObject]
        do {
            guard !listed.areOfResetContext else {
                // The context was reset. Its previous objects have a corresponding read error.
                return keys.map { provisionalObjects[$0] ?? listed.object(forKey: $0, in: context) }
            }
            objects = try listed.objects(forKeys: saved, prefetching: prefetchedPaths, in: context)
        } catch {
            // A property cannot throw, so the objects remain faults with the error as their `readError`.
            objects = saved.map { listed.object(forKey: $0, in: context) }
            for object in objects { object.readError = error }
        }
        guard saved.count < keys.count else { return objects }
        objects.reverse()
        return keys.map { provisionalObjects[$0] ?? objects.removeLast() }
    }
}
