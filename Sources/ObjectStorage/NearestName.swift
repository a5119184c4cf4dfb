/// Finds the name that somebody probably meant.
enum NearestName {
    /// A sentence that offers the nearest of `candidates`, or lists them when none is near.
    ///
    /// - Complexity: O(*n* · *m²*) for *n* candidates of *m* characters; used in errors only.
    static func suggestion(for name: String, among candidates: [String]) -> String {
        let ranked = candidates.map { (distance(name.lowercased(), $0.lowercased()), $0) }.sorted { $0 < $1 }
        if let (distance, nearest) = ranked.first, distance <= max(2, name.count / 3) {
            return "Did you mean “\(nearest)”?"
        }
        guard !candidates.isEmpty else { return "There are none." }
        return "There are: \(candidates.sorted().joined(separator: ", "))."
    }

    /// The number of characters to insert, delete or replace to turn one name into the other (Levenshtein).
    private static func distance(_ first: String, _ second: String) -> Int {
        let second = Array(second)
        var row = Array(0...second.count)
        for (i, character) in first.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in second.enumerated() {
                let substitution = diagonal + (character == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substitution, diagonal + 1, row[j] + 1)
            }
        }
        return row[second.count]
    }
}
