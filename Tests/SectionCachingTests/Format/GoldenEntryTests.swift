import Foundation
import SectionCaching
import Testing

/// The stored form, read by a decoder that is written from `CacheFormat.md` alone.
struct GoldenEntryTests {
    private static let plain = PlainIndex(sections: [
        .init(identity: [1, 2], name: "Élan", title: "É", rowIDs: [300, -5]),
        .init(identity: [], name: "", title: "", rowIDs: []),
        .init(identity: [9], name: "漢", title: "漢", rowIDs: [70_000]),
    ])

    @Test func `the oracle's digest is SHA-256`() {
        // The example of FIPS 180-4's companion document for “abc”.
        #expect(
            hexadecimal(SHA256Oracle.digest(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `a request's fingerprint never changes`() {
        let request = CanonicalRequest(
            parts: [
                .init(name: "entity", bytes: Array("Artwork".utf8)), .init(name: "predicate", bytes: []),
                .init(name: "sort", bytes: [0, 1, 2, 255]),
            ], summary: "not part of it")
        // Computed by another program from the description of the format.
        #expect(
            request.fingerprint.description
                == "cafe40ba1edcf9c9ee7f694d096e615ef051789804b5f4933385e0957a6c4463")
        var message = Array("section cache request 1\n".utf8)
        for (name, bytes) in [
            ("entity", Array("Artwork".utf8)), ("predicate", []), ("sort", [0, 1, 2, 255]),
        ] {
            message += integer(name.utf8.count, 4) + Array(name.utf8) + integer(bytes.count, 4) + bytes
        }
        #expect(request.fingerprint.bytes == SHA256Oracle.digest(message))
        #expect(request.fingerprint.shortDescription == String(request.fingerprint.description.prefix(12)))
    }

    @Test func `moving bytes from one part to the next gives another fingerprint`() {
        let first = CanonicalRequest(parts: [.init(name: "ab", bytes: [99]), .init(name: "d", bytes: [])])
        let second = CanonicalRequest(parts: [
            .init(name: "a", bytes: [98, 99]), .init(name: "d", bytes: []),
        ])
        let third = CanonicalRequest(parts: [.init(name: "abc", bytes: []), .init(name: "d", bytes: [])])
        #expect(Set([first, second, third].map(\.fingerprint)).count == 3)
    }

    @Test func `an entry has the bytes that the description of the format specifies`() throws {
        let directory = try CacheFixture()
        let store = directory.store()
        let sample = Sample()
        store.saveNow(Self.plain, for: sample)
        let values = try directory.values(ofCache: "artworks")
        try #require(values.count == 2)
        let fingerprint = sample.canonical.fingerprint.bytes
        let identity = [UInt8](repeating: 1, count: 16)
        #expect(values[0].key == fingerprint + identity + [0])
        #expect(values[1].key == fingerprint + identity + [1, 0, 0, 0, 0])

        let bytes = values[0].value
        #expect(Array(bytes[0..<8]) == Array("SCINDEX\n".utf8))
        #expect(number(bytes, 8, 4) == 2)
        #expect(Array(bytes[12..<16]) == [4, 3, 2, 1])
        let sequence = number(bytes, 16, 8)
        #expect(try store.entries(ofCache: "artworks").first?.sequence == UInt64(sequence))
        let covered = Array(bytes[..<24] + bytes[88...])
        #expect(Array(bytes[24..<56]) == SHA256Oracle.digest(covered))
        let named = integer(8, 4) + Array("artworks".utf8) + covered
        #expect(
            Array(bytes[56..<88])
                == SHA256Oracle.authenticationCode(named, key: [UInt8](repeating: 5, count: 32)))
        #expect(Array(bytes[88..<104]) == identity)
        #expect(number(bytes, 104, 8) == 3)
        #expect(number(bytes, 112, 4) == 3 && number(bytes, 116, 4) == 1)
        #expect(number(bytes, 120, 4) == (16_368 - 32) / 3)
        #expect(number(bytes, 124, 4) == 0)
        let sizes = (0..<4).map { number(bytes, 128 + 4 * $0, 4) }

        var reader = Reader(bytes: bytes, offset: 144)
        var canonical: [UInt8] = []
        for (name, value) in sample.parts.sorted(by: { $0.key < $1.key }) {
            canonical += integer(name.utf8.count, 4) + Array(name.utf8)
            canonical += integer(value.utf8.count, 4) + Array(value.utf8)
        }
        #expect(reader.take(sizes[0]) == canonical)
        #expect(reader.take(sizes[1]) == Array("Artwork by title".utf8))
        var token = integer(32, 4) + [UInt8](repeating: 2, count: 32)
        for (name, state) in [("Artist", 3), ("Artwork", 4)] as [(String, UInt8)] {
            token += integer(name.utf8.count, 4) + Array(name.utf8) + integer(3, 4) + [state, 0, 9]
        }
        #expect(reader.take(sizes[2]) == token)
        let padding = (8 - reader.offset % 8) % 8
        #expect(reader.take(padding) == [UInt8](repeating: 0, count: padding))
        try checkTables(&reader, heapSize: sizes[3], chunk: values[1].value)
        checkChunk(values[1].value)
    }

    private func checkTables(_ reader: inout Reader, heapSize: Int, chunk: [UInt8]) throws {
        let heapStart = reader.offset + 3 * 32 + 72
        let heap = Array(reader.bytes[heapStart...])
        #expect(heap.count == heapSize)
        var firstRow = 0
        for section in Self.plain.sections {
            #expect(reader.number(8) == firstRow)
            for text in [section.identity, Array(section.name.utf8), Array(section.title.utf8)] {
                let offset = reader.number(4)
                let count = reader.number(4)
                #expect(Array(heap[offset..<offset + count]) == text)
            }
            firstRow += section.rowIDs.count
        }
        #expect(reader.number(8) == 0)
        #expect(reader.number(4) == 3)
        #expect(reader.number(4) == chunk.count)
        #expect(reader.number(4) == 0)
        #expect(reader.take(4) == [3, 0, 0, 0])
        #expect(reader.take(16) == Array(chunk[0..<16]))
        #expect(reader.take(32) == SHA256Oracle.digest(chunk))
        #expect(reader.offset == heapStart)
    }

    private func checkChunk(_ chunk: [UInt8]) {
        // The smallest ID, -5, in two's complement.
        #expect(Array(chunk[16..<24]) == [0xFB] + [UInt8](repeating: 0xFF, count: 7))
        #expect(Array(chunk[24..<32]) == [3, 0, 0, 0, 0, 0, 0, 0])
        #expect(Array(chunk[32...]) == integer(305, 3) + integer(0, 3) + integer(70_005, 3))
    }

    private struct Reader {
        let bytes: [UInt8]
        var offset: Int

        mutating func take(_ count: Int) -> [UInt8] {
            defer { offset += count }
            return Array(bytes[offset..<offset + count])
        }

        mutating func number(_ count: Int) -> Int { take(count).reversed().reduce(0) { $0 << 8 | Int($1) } }
    }

    private func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func integer(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(UInt16($0) + 256, radix: 16).suffix(2) }.joined()
    }
}
