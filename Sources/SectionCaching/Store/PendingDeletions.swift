/// The deletions that were requested and are not completed. Nil represents all names.
struct PendingDeletions {
    /// The deletions that were not tried yet.
    private var asked = Names()
    /// The deletions that failed.
    private var owed = Names()
    /// The deletions in progress.
    private var begun = Names()

    /// A set of names. If it would exceed the number of names that a directory can have, it becomes the set
    /// of all names.
    private struct Names {
        private(set) var names: Set<CacheName?> = []

        mutating func insert(_ name: CacheName?) {
            guard !names.contains(nil) else { return }
            if name == nil || names.count >= Int(SectionCacheStore.maximumNames) { names = [nil] }
            if !names.contains(nil) { names.insert(name) }
        }

        mutating func remove(_ name: CacheName?) { names.remove(name) }

        mutating func removeAll() -> Set<CacheName?> {
            defer { names = [] }
            return names
        }

        func covers(_ name: CacheName) -> Bool { names.contains(nil) || names.contains(name) }
    }

    /// The number of deletions. Equal ones count as one.
    var count: Int { asked.names.count + owed.names.count + begun.names.count }

    /// Returns whether a deletion of a name is pending.
    func contains(_ name: CacheName) -> Bool { asked.covers(name) || owed.covers(name) || begun.covers(name) }

    /// Records a requested deletion.
    mutating func ask(_ name: CacheName?) { asked.insert(name) }

    /// Begins the failed deletions and, if `andAsked` is true, the ones that were not tried yet. A save
    /// passes false, because those may have been requested after it.
    mutating func begin(andAsked: Bool) -> Set<CacheName?> {
        for name in owed.removeAll() { begun.insert(name) }
        if andAsked { for name in asked.removeAll() { begun.insert(name) } }
        return begun.names
    }

    /// Removes a completed deletion.
    mutating func end(_ name: CacheName?) { begun.remove(name) }

    /// Marks the deletions in progress as failed.
    mutating func owe() { for name in begun.removeAll() { owed.insert(name) } }
}
