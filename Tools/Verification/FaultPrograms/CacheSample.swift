import SectionCaching

/// A cache request and the index that a look-up with it must find, both made from a number.
struct CacheSample {
    var name: CacheName
    /// The number that makes the contents of one sample differ from those of others.
    let number: Int
    var storeIdentity: UInt8 = 1
    var schema: UInt8 = 2
    var states: [String: UInt8] = ["Artist": 3, "Artwork": 4]
    var key: UInt8 = 5
    var parts = ["entity": "Artwork", "sort": "title ascending"]

    init(name: CacheName, number: Int) {
        self.name = name
        self.number = number
    }

    /// Creates a sample with the request of another one and other contents.
    init(_ other: CacheSample, number: Int) {
        self.init(name: other.name, number: number)
        (storeIdentity, schema, states, key, parts) =
            (other.storeIdentity, other.schema, other.states, other.key, other.parts)
    }

    func with(name: CacheName) -> CacheSample {
        var sample = self
        sample.name = name
        return sample
    }

    var request: SectionCacheRequest {
        let canonical = CanonicalRequest(
            parts: parts.sorted { $0.key < $1.key }.map { .init(name: $0.key, bytes: Array($0.value.utf8)) },
            summary: "Artwork by title")
        let token = StoreToken(
            storeIdentity: Array(repeating: storeIdentity, count: 16),
            schemaDigest: Array(repeating: schema, count: 32),
            dependencies: states.map { .init(name: $0.key, state: [$0.value, 0, 9]) })
        return SectionCacheRequest(
            name: name, request: canonical, token: token, authenticationKey: Array(repeating: key, count: 32))
    }

    /// The rows of each section.
    var sections: [[Int64]] {
        (0..<1 + number % 5).map { section in
            (0..<1 + (number + section) % 40).map { Int64(number &* 1_000 &+ section &* 100 &+ $0) }
        }
    }

    var index: SectionIndex {
        var builder = SectionIndex.Builder()
        for (position, rows) in sections.enumerated() {
            builder.beginSection(
                identity: Array("\(number) \(position)".utf8), name: "section \(position)", indexTitle: "s")
            for row in rows { builder.append(row) }
        }
        return builder.finish()
    }

    /// Checks that a look-up missed, or found exactly the index of this sample.
    ///
    /// - Returns: Whether it was a hit.
    /// - Throws: ``FaultFinding`` for a wrong answer, or for a miss where there must be a hit.
    @discardableResult
    func check(_ lookup: CacheLookup, mustHit: Bool) throws -> Bool {
        guard case .hit(let index) = lookup else {
            if mustHit { throw FaultFinding("expected a hit for sample \(number), found \(lookup)") }
            return false
        }
        let expected = sections
        guard index.numberOfSections == expected.count,
            index.numberOfRows == expected.reduce(0, { $0 + $1.count })
        else { throw FaultFinding("sample \(number) has a different number of sections or rows") }
        for (position, rows) in expected.enumerated() {
            let section = index.section(at: position)
            guard section.identity == Array("\(number) \(position)".utf8),
                section.name == "section \(position)",
                section.rows.count == rows.count
            else { throw FaultFinding("sample \(number): section \(position) is different") }
            // The rows may be lost, which gives nil. Rows that are found must be right.
            if let found = index.rowIDs(in: section.rows), found != rows {
                throw FaultFinding("sample \(number): section \(position) has different rows")
            }
        }
        return true
    }
}
