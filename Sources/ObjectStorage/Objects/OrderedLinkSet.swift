/// A set of pairs of objects in insertion order, with look-up by either object.
struct OrderedLinkSet {
    typealias Pair = PendingLinks.Pair

    /// The inserted pairs with ascending numbers. Removed pairs remain until the array is compacted.
    private var arrivals: [(pair: Pair, number: Int)] = []
    /// The numbers of the pairs that are in the set.
    private var numbers: [Pair: Int] = [:]
    private var targets: [ManagedObject: Set<ManagedObject>] = [:]
    private var sources: [ManagedObject: Set<ManagedObject>] = [:]

    /// Whether the set is empty.
    var isEmpty: Bool { numbers.isEmpty }
    /// The number of pairs.
    var count: Int { numbers.count }

    /// The pairs in insertion order.
    var all: [Pair] { arrivals.lazy.filter { numbers[$0.pair] == $0.number }.map(\.pair) }

    /// Appends a pair, unless the set contains it.
    mutating func insert(_ pair: Pair) {
        guard numbers[pair] == nil else { return }
        let number = (arrivals.last?.number ?? 0) + 1
        numbers[pair] = number
        arrivals.append((pair, number))
        targets[pair.source, default: []].insert(pair.target)
        sources[pair.target, default: []].insert(pair.source)
    }

    /// Removes a pair.
    mutating func remove(_ pair: Pair) {
        guard numbers.removeValue(forKey: pair) != nil else { return }
        targets[pair.source]?.remove(pair.target)
        sources[pair.target]?.remove(pair.source)
        guard arrivals.count > 2 * numbers.count + 16 else { return }
        arrivals.removeAll { numbers[$0.pair] != $0.number }
    }

    /// Returns the pairs that have an object at one end, in insertion order.
    func pairs(of owner: ManagedObject, at end: LinkEnd) -> [Pair] {
        guard let others = (end.isForward ? targets : sources)[owner], !others.isEmpty else { return [] }
        let pairs = others.map {
            end.isForward ? Pair(source: owner, target: $0) : Pair(source: $0, target: owner)
        }
        return pairs.count == 1 ? pairs : pairs.sorted { numbers[$0, default: 0] < numbers[$1, default: 0] }
    }

    /// Returns whether any pair contains an object.
    func contains(_ object: ManagedObject) -> Bool {
        targets[object]?.isEmpty == false || sources[object]?.isEmpty == false
    }

    /// Removes all pairs that contain an object.
    ///
    /// - Returns: The removed pairs.
    mutating func removeAll(of object: ManagedObject) -> [Pair] {
        let pairs =
            (targets[object] ?? []).map { Pair(source: object, target: $0) }
            + (sources[object] ?? []).map { Pair(source: $0, target: object) }
        for pair in pairs { remove(pair) }
        return pairs
    }
}
