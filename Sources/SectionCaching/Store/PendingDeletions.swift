/// The deletions that were asked for and are not done. Nil stands for all names.
struct PendingDeletions {
    /// Those that nobody has begun.
    private var asked = Names()
    /// Those that were tried in vain.
    private var owed = Names()
    /// Those that are being made.
    private var begun = Names()

    /// Names, each once; and no more than a directory can have, which all names take the place of.
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

    /// How many there are; those that are the same are one.
    var count: Int { asked.names.count + owed.names.count + begun.names.count }

    /// Whether a name is to be deleted.
    func contains(_ name: CacheName) -> Bool { asked.covers(name) || owed.covers(name) || begun.covers(name) }

    /// Notes that a deletion was asked for.
    mutating func ask(_ name: CacheName?) { asked.insert(name) }

    /// Begins those that are owed and, unless a save does so that may have been asked for before them, those
    /// that were asked for.
    mutating func begin(andAsked: Bool) -> Set<CacheName?> {
        for name in owed.removeAll() { begun.insert(name) }
        if andAsked { for name in asked.removeAll() { begun.insert(name) } }
        return begun.names
    }

    /// Ends one that was made.
    mutating func end(_ name: CacheName?) { begun.remove(name) }

    /// Owes those that were begun and not made.
    mutating func owe() { for name in begun.removeAll() { owed.insert(name) } }
}
