import SectionCaching
import CheckSupport
import Testing

/// Rows are searched for before the chunks are compared with their digests, so damage must not affect which
/// rows are found.
struct SearchVerificationTests {
    private static let rowsPerChunk = 20

    /// Returns the chunk with its last row changed to a near ID, which is not in the index: its IDs are at
    /// least 1,000 apart.
    private func damaged(_ chunk: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = chunk
        let width = Int(bytes[24])
        bytes[bytes.count - width] ^= UInt8.random(in: 1 ... .max, using: &generator)
        return bytes
    }

    @Test func `a damaged chunk hides and adds no row, and rows of other chunks are still found`()
        throws
    {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let directory = try CacheFixture()
        let plain = PlainIndex.distinct(rows: 400, sections: 4, spacing: 1_000, using: &generator)
        let saving = directory.store()
        saving.save(plain.build(rowsPerChunk: Self.rowsPerChunk), for: Sample().request)
        #expect(saving.waitForWrites())
        let rowIDs = plain.rowIDs
        let chunks = try directory.values(ofCache: "artworks").dropFirst()
        #expect(chunks.count == rowIDs.count / Self.rowsPerChunk)
        for (number, (key, sound)) in chunks.enumerated() {
            try directory.put(damaged(sound, &generator), for: key, inCache: "artworks")
            let rows = number * Self.rowsPerChunk..<(number + 1) * Self.rowsPerChunk
            func positions(of rowIDs: [Int64]) throws -> [Int?]? {
                let outdated = try #require(directory.store().outdatedIndex(for: Sample.step(1).request))
                return SectionIndexEditor(outdated.index, keepsPreviousRows: false).positions(of: rowIDs)
            }
            // Two rows of the damaged chunk: the changed one and an unchanged one.
            for position in [rows.upperBound - 1, rows.lowerBound] {
                #expect(try positions(of: [rowIDs[position]]) == nil, "seed \(seed), chunk \(number)")
            }
            // A row that is in no other chunk might be in the damaged one.
            #expect(try positions(of: [rowIDs[0], .max]) == nil, "seed \(seed), chunk \(number)")
            let others = rowIDs.indices.filter { !rows.contains($0) }.shuffled(using: &generator).prefix(7)
            #expect(
                try positions(of: others.map { rowIDs[$0] }) == Array(others), "seed \(seed), chunk \(number)"
            )
            try directory.put(sound, for: key, inCache: "artworks")
        }
        let whole = try #require(directory.store().outdatedIndex(for: Sample.step(1).request))
        #expect(SectionIndexEditor(whole.index).positions(of: [rowIDs[7], .max]) == [7, nil])
    }
}
