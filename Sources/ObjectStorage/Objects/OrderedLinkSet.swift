/// Pairs of objects in the order in which they came, found by either object.
struct OrderedLinkSet {
    typealias Pair = PendingLinks.Pair

    /// The pairs with numbers that rise as they come, some of which have left again.
    private var arrivals: [(pair: Pair, number: Int)] = []
    /// The numbers of those that have not.
    private var numbers: [Pair: Int] = [:]
    private var targets: [ManagedObject: Set<ManagedObject>] = [:]
    private var sources: [ManagedObject: Set<ManagedObject>] = [:]

    /// Whether there is none.
    var isEmpty: Bool { numbers.isEmpty }
    /// How many there are.
    var count: Int { numbers.count }

    /// All in their order.
    var all: [Pair] { arrivals.lazy.filter { numbers[$0.pair] == $0.number }.map(\.pair) }

    /// Adds a pair at the end, unless it is there.
    mutating func insert(_ pair: Pair) {
        guard numbers[pair] == nil else { return }
        let number = (arrivals.last?.number ?? 0) + 1
        numbers[pair] = number
        arrivals.append((pair, number))
        targets[pair.source, default: []].insert(pair.target)
        sources[pair.target, default: []].insert(pair.source)
    }

    /// Takes a pair out.
    mutating func remove(_ pair: Pair) {
        guard numbers.removeValue(forKey: pair) != nil else { return }
        targets[pair.source]?.remove(pair.target)
        sources[pair.target]?.remove(pair.source)
        guard arrivals.count > 2 * numbers.count + 16 else { return }
        arrivals.removeAll { numbers[$0.pair] != $0.number }
    }

    /// The pairs in which an object is at an end, in their order.
    func pairs(of owner: ManagedObject, at end: LinkEnd) -> [Pair] {
        guard let others = (end.isForward ? targets : sources)[owner], !others.isEmpty else { return [] }
        let pairs = others.map {
            end.isForward ? Pair(source: owner, target: $0) : Pair(source: $0, target: owner)
        }
        return pairs.count == 1 ? pairs : pairs.sorted { numbers[$0, default: 0] < numbers[$1, default: 0] }
    }

    /// Whether an object is in any.
    func contains(_ object: ManagedObject) -> Bool {
        targets[object]?.isEmpty == false || sources[object]?.isEmpty == false
    }

    /// Takes out all in which an object is.
    ///
    /// - Returns: Those.
    mutating func removeAll(of object: ManagedObject) -> [Pair] {
        let pairs =
            (targets[object] ?? []).map { Pair(source: object, target: $0) }
            + (sources[object] ?? []).map { Pair(source: $0, target: object) }
        for pair in pairs { remove(pair) }
        return pairs
    }
}
