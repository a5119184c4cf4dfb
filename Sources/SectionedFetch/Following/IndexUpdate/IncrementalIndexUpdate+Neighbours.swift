import ObjectStorage

/// What an index of the order tells before anything is searched for.
extension IncrementalIndexUpdate {
    /// The rows next to some in the table that did not change themselves, in order, each once.
    func neighbours(of found: [SnapshotRow]) throws -> [SortKey] {
        var neighbours = try snapshot.neighbours(ofKeys: found.map(\.place.key), compiled).filter {
            rows.keys.index(ofAscending: $0.key) == nil
        }
        neighbours.sort { $0.precedes($1) }
        var last: Int64?
        neighbours.removeAll { place in
            defer { last = place.key }
            return place.key == last
        }
        return neighbours
    }

    /// Takes note of where some rows are, as far as they are in the index.
    mutating func noteRemaining(_ places: [SortKey], at positions: some Collection<Int?>) {
        for (place, position) in zip(places, positions) {
            guard let position else { continue }
            let number = remaining.count(before: position)
            // An unsaved object may have had the key.
            guard removedKey(at: position) == nil else { continue }
            readPlaces.append((number, place))
        }
    }
}
