/// The keys of the objects that were looked up last, so that memory does not grow with the file.
struct RelatedKeyCache {
    /// Names in each half.
    private static let capacity = 50_000
    /// Longer names are looked up every time: a hundred thousand of the longest fields would be a hundred
    /// GiB.
    private static let longestName = 1_024
    private var recent: [ExactText: Int64] = [:]
    private var older: [ExactText: Int64] = [:]

    /// The key for a name, if it was noted not long ago.
    mutating func key(for name: String) -> Int64? {
        let exact = ExactText(name)
        if let key = recent[exact] { return key }
        guard let key = older[exact] else { return nil }
        insert(key, for: name)
        return key
    }

    /// Notes a key. When the newer half is full it becomes the older, and what was older is forgotten.
    mutating func insert(_ key: Int64, for name: String) {
        guard name.utf8.count <= Self.longestName else { return }
        if recent.count >= Self.capacity {
            older = recent
            recent = [:]
        }
        recent[ExactText(name)] = key
    }
}
