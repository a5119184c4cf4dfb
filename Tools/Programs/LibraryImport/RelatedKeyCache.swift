/// A cache of the most recently used keys of related objects, bounded so that memory does not grow with the
/// file.
struct RelatedKeyCache {
    /// The number of names in each half.
    private static let capacity = 50_000
    /// The length of the longest cached name, in UTF-8 bytes. Longer names are looked up every time: a
    /// hundred thousand of the longest fields would take a hundred GiB.
    private static let longestName = 1_024
    private var recent: [ExactText: Int64] = [:]
    private var older: [ExactText: Int64] = [:]

    /// Returns the key for a name, or nil if the cache does not have it.
    mutating func key(for name: String) -> Int64? {
        let exact = ExactText(name)
        if let key = recent[exact] { return key }
        guard let key = older[exact] else { return nil }
        insert(key, for: name)
        return key
    }

    /// Inserts a key. When the newer half is full, it replaces the older half, whose keys are dropped.
    mutating func insert(_ key: Int64, for name: String) {
        guard name.utf8.count <= Self.longestName else { return }
        if recent.count >= Self.capacity {
            older = recent
            recent = [:]
        }
        recent[ExactText(name)] = key
    }
}
