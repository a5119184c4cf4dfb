/// The unsaved changes of one link table in a context: which pairs come and go, and in which order lists are
/// to be.
///
/// Both ends of a relationship read from here, so neither can contradict the other.
struct PendingLinks {
    /// Two objects that lead to each other.
    struct Pair: Hashable {
        let source: ManagedObject
        let target: ManagedObject
    }

    /// The table.
    let table: LinkTable
    /// The pairs to be there, in the order in which they were made. Some may be in the store already.
    private(set) var added = OrderedLinkSet()
    /// The pairs that the store may have and that are to go.
    private(set) var removed: Set<Pair> = []
    /// The targets of sources whose order was set, and the sources of targets.
    private(set) var targetOrders: [ManagedObject: [ManagedObject]] = [:]
    private(set) var sourceOrders: [ManagedObject: [ManagedObject]] = [:]

    init(_ table: LinkTable) { self.table = table }

    /// Whether there is nothing to write.
    var isEmpty: Bool {
        added.isEmpty && removed.isEmpty && targetOrders.isEmpty && sourceOrders.isEmpty
    }

    /// The objects that the changes are about.
    var objects: Set<ManagedObject> {
        var objects: Set<ManagedObject> = []
        for pair in added.all + removed { objects.formUnion([pair.source, pair.target]) }
        for (owner, others) in Array(targetOrders) + Array(sourceOrders) {
            objects.formUnion([owner] + others)
        }
        return objects
    }

    /// Applies the changes to what a relationship of an object leads to in the store.
    func objects(of owner: ManagedObject, at end: LinkEnd, stored: [ManagedObject]) -> [ManagedObject] {
        var objects = removed.isEmpty ? stored : stored.filter { !removed.contains(pair(owner, $0, end)) }
        let newMembers = added.pairs(of: owner, at: end)
        if !newMembers.isEmpty {
            let known = Set(objects)
            objects += newMembers.lazy.map { end.isForward ? $0.target : $0.source }.filter {
                !known.contains($0)
            }
        }
        guard let order = (end.isForward ? targetOrders : sourceOrders)[owner] else { return objects }
        // What was added from the other side since stands at the end.
        let present = Set(objects)
        let listed = Set(order)
        return order.filter(present.contains) + objects.filter { !listed.contains($0) }
    }

    /// Makes two objects lead to each other.
    mutating func add(_ owner: ManagedObject, _ other: ManagedObject, at end: LinkEnd) {
        for pair in pairs(owner, other, end) {
            removed.remove(pair)
            added.insert(pair)
        }
    }

    /// Makes two objects no longer lead to each other.
    ///
    /// A pair that was added since the last save may be in the store as well, by another context; its row
    /// goes too.
    mutating func remove(_ owner: ManagedObject, _ other: ManagedObject, at end: LinkEnd) {
        for pair in pairs(owner, other, end) {
            added.remove(pair)
            removed.insert(pair)
        }
    }

    /// Sets the order of what an object leads to.
    mutating func setOrder(_ objects: [ManagedObject], of owner: ManagedObject, at end: LinkEnd) {
        if end.isForward { targetOrders[owner] = objects } else { sourceOrders[owner] = objects }
    }

    /// The objects that others were made to lead to from the other side, without a place in the order.
    func newMembers(at end: LinkEnd) -> [ManagedObject: [ManagedObject]] {
        let orders = (end.isForward ? targetOrders : sourceOrders).mapValues(Set.init)
        var newMembers: [ManagedObject: [ManagedObject]] = [:]
        for pair in added.all {
            let (owner, other) = end.isForward ? (pair.source, pair.target) : (pair.target, pair.source)
            if orders[owner]?.contains(other) != true { newMembers[owner, default: []].append(other) }
        }
        return newMembers
    }

    /// Forgets all that is about an object.
    ///
    /// - Returns: The other objects of the pairs.
    mutating func forget(_ object: ManagedObject) -> Set<ManagedObject> {
        let gone = removed.filter { $0.source === object || $0.target === object }
        removed.subtract(gone)
        let pairs = added.removeAll(of: object) + gone
        targetOrders[object] = nil
        sourceOrders[object] = nil
        return Set(pairs.map { $0.source === object ? $0.target : $0.source })
    }

    /// Whether something is to be written about an object.
    func mentions(_ object: ManagedObject) -> Bool {
        targetOrders[object] != nil || sourceOrders[object] != nil
            || added.contains(object)
            || removed.contains { $0.source === object || $0.target === object }
    }

    private func pair(_ owner: ManagedObject, _ other: ManagedObject, _ end: LinkEnd) -> Pair {
        end.isForward ? Pair(source: owner, target: other) : Pair(source: other, target: owner)
    }

    /// The pairs that say the same: one, or both ways for a relationship that is its own inverse.
    private func pairs(_ owner: ManagedObject, _ other: ManagedObject, _ end: LinkEnd) -> [Pair] {
        let pair = pair(owner, other, end)
        guard table.isSymmetric, owner !== other else { return [pair] }
        return [pair, Pair(source: pair.target, target: pair.source)]
    }
}
