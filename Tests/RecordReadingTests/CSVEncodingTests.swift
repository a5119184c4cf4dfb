import RecordReading
import CheckSupport
import Testing

@Suite struct CSVEncodingTests {
    /// Sequences that are not UTF-8, by the kinds of Unicode's table 3-7.
    static let invalid: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE2, 0x82],
        [0xED, 0xA0, 0x80],
        [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80],
        [0xF5, 0x80, 0x80, 0x80],
        [0xFE], [0xFF], [0xE9],
    ]

    @Test(arguments: invalid)
    func `bytes that are not UTF-8 are named by their offset in the file`(sequence: [UInt8]) throws {
        // In plain, quoted and doubled-quote fields, after multi-byte text, and after byte order marks and
        // lines.
        for mark in [[], [0xEF, 0xBB, 0xBF]] as [[UInt8]] {
            for (before, after) in [("", ""), ("é😀", "z"), ("\"", "\""), ("\"é \"\"x\"\" \n", " \"\"\"")] {
                var bytes = mark + Array("name,other\r\nä,ö\r\n\(before.isEmpty ? "q" : "\"\"\"\""),".utf8)
                bytes += Array(before.utf8)
                let byteOffset = bytes.count
                bytes += sequence + Array("\(after)\r\n5,6\n".utf8)
                let reading = try Reading(csv: bytes)
                #expect(reading.reasons == [.invalidUTF8(byteOffset: byteOffset)])
                #expect(reading.errors.map(\.column) == [2])
                #expect(reading.errors.map(\.columnName) == ["other"])
                #expect(reading.errors.map(\.line) == [3])
                #expect(reading.records == [["ä", "ö"], ["5", "6"]])
            }
        }
    }

    @Test func `the offset counts from the beginning of the file, even after many windows`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        var bytes = Array("number,text\n".utf8)
        var offsets: [Int] = []
        for number in 0..<60_000 {
            bytes += Array("\(number),\"é \"\"日本\"\" ".utf8)
            if Int.random(in: 0..<50, using: &generator) == 0 {
                offsets.append(bytes.count)
                bytes += Self.invalid.randomElement(using: &generator)!
            }
            bytes += Array(" text\"\n".utf8)
        }
        #expect(bytes.count > 1 << 20)
        let reading = try Reading(csv: bytes)
        #expect(reading.reasons == offsets.map { .invalidUTF8(byteOffset: $0) }, "seed \(seed)")
        #expect(reading.records.count == 60_000 - offsets.count)
    }

    @Test(arguments: invalid)
    func `invalid bytes are replaced with the option`(sequence: [UInt8]) throws {
        let bytes = Array("a,b\n1,x".utf8) + sequence + Array("y\n".utf8)
        let reading = try Reading(csv: bytes, options: CSVReader.Options(replacesInvalidUTF8: true))
        #expect(reading.errors.isEmpty)
        #expect(
            reading.records == [
                ["1", String(decoding: Array("x".utf8) + sequence + Array("y".utf8), as: UTF8.self)]
            ])
        #expect(reading.records[0][1]?.contains("\u{FFFD}") == true)
    }

    @Test(arguments: [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61]] as [[UInt8]])
    func `UTF-16 is refused with the remedy`(bytes: [UInt8]) throws {
        let error = try openingError(csv: bytes)
        #expect(error?.reason == .encoding("UTF-16"))
        #expect(error?.isFatal == true)
        #expect(
            error?.description.hasSuffix(
                "the file is UTF-16; convert it to UTF-8, or pass --encoding UTF-16") == true)
    }

    @Test(arguments: [[0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61]] as [[UInt8]])
    func `UTF-32 is distinguished from UTF-16`(bytes: [UInt8]) throws {
        let error = try openingError(csv: bytes)
        #expect(error?.reason == .encoding("UTF-32"))
        #expect(error?.isFatal == true)
    }

    @Test(arguments: [[], [0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0xBF]] as [[UInt8]])
    func `a file of a byte order mark, or a part of one, has no header`(bytes: [UInt8]) throws {
        let error = try #require(try openingError(csv: bytes))
        #expect(error.isFatal)
        #expect(
            error.reason
                == (bytes.count % 3 == 0 ? .unreadable("the file is empty") : .invalidUTF8(byteOffset: 0)))
    }

    @Test func `every scalar is read back`() throws {
        // In pieces of 1,000 scalars, without surrogates, which no text contains.
        let scalars = (1...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init)
            .filter { $0 != "\"" }
        var text = "a,b\n"
        var expected: [String] = []
        var piece = String.UnicodeScalarView()
        for scalar in scalars {
            piece.append(scalar)
            if piece.count == 1_000 {
                text += "1,\"\(String(piece))\"\n"
                expected.append(String(piece))
                piece = .init()
            }
        }
        let reading = try Reading(csv: text)
        #expect(reading.errors.isEmpty)
        #expect(reading.records.map { Array($0[1]!.utf8) } == expected.map { Array($0.utf8) })
    }
}
