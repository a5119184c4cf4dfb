import CatalogueGenerator
import Testing

@Suite struct CatalogueGoldenTests {
    /// The digests were computed by another program in Python, written from the documentation comments and
    /// the word tables, whose 10,000 records agreed with these byte for byte.
    @Test(arguments: [
        (CatalogueOptions.Sections.firstLetters, 1_012_271, 0xCBD8_E4E1_30EB_904C as UInt64),
        (.shelves(1_000), 1_042_271, 0x04D0_F9A7_853D_4B41),
    ])
    func `a seed gives the same bytes on every machine`(
        sections: CatalogueOptions.Sections, numberOfBytes: Int, digest: UInt64
    ) throws {
        let options = try CatalogueOptions(numberOfSongs: 10_000, seed: 42, sections: sections)
        var digestOfBytes = FNV1a()
        CatalogueGenerator(options).writeCSV { digestOfBytes.add($0) }
        #expect(digestOfBytes.numberOfBytes == numberOfBytes)
        #expect(digestOfBytes.value == digest)
    }

    @Test func `the first records of a seed are known`() throws {
        let generator = CatalogueGenerator(try CatalogueOptions(numberOfSongs: 3, seed: 42))
        #expect(try csv(of: generator) == goldenRecords)
    }

    @Test func `another seed gives another catalogue`() throws {
        let first = CatalogueGenerator(try CatalogueOptions(numberOfSongs: 100, seed: 1))
        let second = CatalogueGenerator(try CatalogueOptions(numberOfSongs: 100, seed: 2))
        #expect(zip(first, second).allSatisfy { $0.title != $1.title || $0.artist != $1.artist })
    }

    @Test func `a song does not depend on the songs made before it`() throws {
        let generator = CatalogueGenerator(try CatalogueOptions(numberOfSongs: 500, seed: 6))
        let inOrder = Array(generator)
        #expect(inOrder.count == 500)
        for position in (0..<500).reversed() {
            #expect(generator.song(at: position) == inOrder[position])
        }
    }

    @Test func `the kind of sections does not change the songs`() throws {
        let byLetter = CatalogueGenerator(try CatalogueOptions(numberOfSongs: 200, seed: 3))
        let byShelf = CatalogueGenerator(
            try CatalogueOptions(numberOfSongs: 200, seed: 3, sections: .shelves(10)))
        #expect(byLetter.map(\.title) == byShelf.map(\.title))
        #expect(byLetter.map(\.artist) == byShelf.map(\.artist))
    }
}

private let goldenRecords = """
    key,title,artist,album,year,genre,section,duration,added
    1,Grand (Waltz Carousel),Jack Hoffmann Duo,Heart Copper,2021,Ambient,G,386,2004-01-01T00:00:00Z
    2,Zinnia in the Trains,Jack Hoffmann Duo,Seven Piano,1993,Ambient,Z,246,2010-08-30T08:00:00Z
    3,painted Copper Thunder,Giulia Mensah Collective,Two Mountains,1973,Fado,P,197,2017-04-28T16:00:00Z

    """.replacing("\n", with: "\r\n")

/// FNV-1a with 64 bits, from the description by Fowler, Noll and Vo.
struct FNV1a {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var numberOfBytes = 0

    mutating func add(_ bytes: RawSpan) {
        numberOfBytes += bytes.byteCount
        bytes.withUnsafeBytes { buffer in
            for byte in buffer {
                value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            }
        }
    }
}

/// Returns the catalogue's CSV as text.
func csv(of generator: CatalogueGenerator) throws -> String {
    var bytes: [UInt8] = []
    generator.writeCSV { piece in
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
    return try #require(String(validating: bytes, as: UTF8.self))
}
