import ObjectStorage

/// The sort keys that an SQL index of the order supplies before any search.
extension IncrementalIndexUpdate {
    /// Returns the sort keys of the unchanged rows next to some rows of the table, in order, each once.
    func neighbours(of found: [SnapshotRow]) throws -> [SortKey] {
        var neighbours = try snapshot.neighbours(ofKeys: found.map(\.sortKey.key), compiled).filter {
            rows.keys.index(ofAscending: $0.key) == nil
        }
        neighbours.sort { $0.precedes($1) }
        var last: Int64?
        neighbours.removeAll { sortKey in
            defer { last = sortKey.key }
            return sortKey.key == last
        }
        return neighbours
    }

    /// Records the sort keys of rows that are in the index.
    mutating func noteRemaining(_ sortKeys: [SortKey], at positions: some Collection<Int?>) {
        for (sortKey, position) in zip(sortKeys, positions) {
            guard let position else { continue }
            let number = remaining.count(before: position)
            // The key may have represented an unsaved object.
            guard removedKey(at: position) == nil else { continue }
            readSortKeys.append((number, sortKey))
        }
    }
}
