/// The unsaved changes of one link table in a context: added and removed pairs, and the orders of lists.
///
/// Both ends of a relationship read this value, so they cannot contradict each other.
struct PendingLinks {
    /// Two objects that lead to each other.
    struct Pair: Hashable {
        let source: ManagedObject
        let target: ManagedObject
    }

    /// The table.
    let table: LinkTable
    /// The pairs that the save inserts, in the order in which they were added. Some may be in the store
    /// already.
    private(set) var added = OrderedLinkSet()
    /// The pairs that the save deletes, if the store has them.
    private(set) var removed: Set<Pair> = []
    /// The ordered targets of the sources whose order was set.
    private(set) var targetOrders: [ManagedObject: [ManagedObject]] = [:]
    /// The ordered sources of the targets whose order was set.
    private(set) var sourceOrders: [ManagedObject: [ManagedObject]] = [:]

    init(_ table: LinkTable) { self.table = table }

    /// Whether the save has nothing to write.
    var isEmpty: Bool {
        added.isEmpty && removed.isEmpty && targetOrders.isEmpty && sourceOrders.isEmpty
    }

    /// The objects that the changes concern.
    var objects: Set<ManagedObject> {
        var objects: Set<ManagedObject> = []
        for pair in added.all + removed { objects.formUnion([pair.source, pair.target]) }
        for (owner, others) in Array(targetOrders) + Array(sourceOrders) {
            objects.formUnion([owner] + others)
        }
        return objects
    }

    /// The sources and the targets whose relationships the changes concern.
    var changedObjects: (sources: Set<ManagedObject>, targets: Set<ManagedObject>) {
        var sources = Set(targetOrders.keys)
        var targets = Set(sourceOrders.keys)
        for pair in added.all + removed {
            sources.insert(pair.source)
            targets.insert(pair.target)
        }
        return (sources, targets)
    }

    /// Returns the objects that a relationship leads to: those in the store, with the changes applied.
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
        // Objects that were added from the other side since then are at the end.
        let present = Set(objects)
        let listed = Set(order)
        return order.filter(present.contains) + objects.filter { !listed.contains($0) }
    }

    /// Links two objects to each other.
    mutating func add(_ owner: ManagedObject, _ other: ManagedObject, at end: LinkEnd) {
        for pair in pairs(owner, other, end) {
            removed.remove(pair)
            added.insert(pair)
        }
    }

    /// Unlinks two objects from each other.
    ///
    /// A pair that was added since the last save may also have been saved by another context, so its row is
    /// deleted too.
    mutating func remove(_ owner: ManagedObject, _ other: ManagedObject, at end: LinkEnd) {
        for pair in pairs(owner, other, end) {
            added.remove(pair)
            removed.insert(pair)
        }
    }

    /// Sets the order of the objects that an object leads to.
    mutating func setOrder(_ objects: [ManagedObject], of owner: ManagedObject, at end: LinkEnd) {
        if end.isForward { targetOrders[owner] = objects } else { sourceOrders[owner] = objects }
    }

    /// Returns, for each owner, the objects that were added from the other side and have no position in the
    /// owner's order.
    func newMembers(at end: LinkEnd) -> [ManagedObject: [ManagedObject]] {
        let orders = (end.isForward ? targetOrders : sourceOrders).mapValues(Set.init)
        var newMembers: [ManagedObject: [ManagedObject]] = [:]
        for pair in added.all {
            let (owner, other) = end.isForward ? (pair.source, pair.target) : (pair.target, pair.source)
            if orders[owner]?.contains(other) != true { newMembers[owner, default: []].append(other) }
        }
        return newMembers
    }

    /// Discards the changes that concern an object.
    ///
    /// - Returns: The other objects of the discarded pairs.
    mutating func forget(_ object: ManagedObject) -> Set<ManagedObject> {
        let gone = removed.filter { $0.source === object || $0.target === object }
        removed.subtract(gone)
        let pairs = added.removeAll(of: object) + gone
        targetOrders[object] = nil
        sourceOrders[object] = nil
        return Set(pairs.map { $0.source === object ? $0.target : $0.source })
    }

    /// Returns whether the save writes anything that concerns an object.
    func mentions(_ object: ManagedObject) -> Bool {
        targetOrders[object] != nil || sourceOrders[object] != nil
            || added.contains(object)
            || removed.contains { $0.source === object || $0.target === object }
    }

    private func pair(_ owner: ManagedObject, _ other: ManagedObject, _ end: LinkEnd) -> Pair {
        end.isForward ? Pair(source: owner, target: other) : Pair(source: other, target: owner)
    }

    /// Returns the pairs that represent a link: one, or one in each direction for a relationship that is its
    /// own inverse.
    private func pairs(_ owner: ManagedObject, _ other: ManagedObject, _ end: LinkEnd) -> [Pair] {
        let pair = pair(owner, other, end)
        guard table.isSymmetric, owner !== other else { return [pair] }
        return [pair, Pair(source: pair.target, target: pair.source)]
    }
}
