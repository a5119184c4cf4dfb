/// Suggestions for mistyped names.
package enum NearestName {
    /// Returns a sentence that suggests the nearest of `candidates`, or lists them if none is near.
    ///
    /// - Complexity: O(*n* · *m²*) for *n* candidates of *m* characters; used in errors only.
    package static func suggestion(for name: String, among candidates: [String]) -> String {
        if let nearest = nearest(to: name, among: candidates) { return "Did you mean “\(nearest)”?" }
        guard !candidates.isEmpty else { return "None are available." }
        let names = Set(candidates).sorted()
        return "Available: \(names.prefix(50).joined(separator: ", "))\(names.count > 50 ? ", …" : "")."
    }

    /// Returns the candidate with the smallest distance, or nil if that distance exceeds two characters and a
    /// third of the name.
    package static func nearest(to name: String, among candidates: [String]) -> String? {
        let ranked = candidates.map { (distance(name.lowercased(), $0.lowercased()), $0) }
        guard let (distance, nearest) = ranked.min(by: <) else { return nil }
        return distance <= max(2, name.count / 3) ? nearest : nil
    }

    /// Returns the number of characters to insert, delete or replace to turn one name into the other
    /// (Levenshtein distance).
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
