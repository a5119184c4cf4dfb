import CheckSupport
import Testing

@testable import RecordReading

@Suite(.enabled(if: Python.path != nil, "python3 is not on the search path"))
struct CSVOracleTests {
    /// Prints the records before the first error, a record between `[` and `]`, a field after each `,`, and
    /// then the kind of end.
    private static let program = """
        import csv, io
        for data in inputs:
            shown = ""
            try:
                for row in csv.reader(io.StringIO(data.decode(), newline=""), strict=True):
                    shown += "[" + "".join("," + field.encode().hex() for field in row) + "]"
                shown += "end"
            except csv.Error as error:
                shown += "unclosed" if "unexpected end" in str(error) else "text"
            print(shown)
        """

    /// Returns the results of the scanner for the same bytes, in the same form.
    private func scanned(_ bytes: [UInt8]) -> String {
        let scanner = CSVScanner(delimiter: UInt8(ascii: ","))
        return bytes.withUnsafeBufferPointer { buffer in
            var shown = ""
            var position = 0
            while position < buffer.count {
                let start = buffer.baseAddress! + position
                switch scanner.scan(start, count: buffer.count - position, isLast: true) {
                case .record(let byteCount, _):
                    // Python gives no fields for an empty line.
                    let isEmptyLine = start[0] == 0x0A || start[0] == 0x0D
                    let fields = (0..<scanner.fieldCount).map { field in
                        scanner.withBytes(ofField: field, in: start) { "," + Python.hexadecimal($0!) }
                    }
                    shown += "[" + (isEmptyLine ? "" : fields.joined()) + "]"
                    position += byteCount
                case .bad: return shown + "text"
                case .unclosed(.unclosedQuote): return shown + "unclosed"
                case .unclosed: return shown + "text"
                case .incomplete: return shown + "incomplete"
                }
            }
            return shown + "end"
        }
    }

    private func soup(seed: UInt64) -> [[UInt8]] {
        var generator = SeededGenerator(seed: seed)
        let pieces = ["a", "b", ",", ",", "\"", "\"", "\"\"", "\n", "\r\n", "\r", "é", " ", "\",\"", "\"\n"]
        return (0..<20_000).map { _ in
            let count = Int.random(in: 1...25, using: &generator)
            return (0..<count).flatMap { _ in Array(pieces.randomElement(using: &generator)!.utf8) }
        }
    }

    @Test func `the scanner reads any text as Python does`() throws {
        let seed = SeededGenerator.newSeed()
        let inputs = soup(seed: seed)
        let expected = try Python.run(Self.program, on: inputs)
        #expect(expected.count == inputs.count)
        var kinds: Set<String> = []
        for (input, expected) in zip(inputs, expected) {
            #expect(
                scanned(input) == expected,
                "seed \(seed): \(String(decoding: input, as: UTF8.self).debugDescription)")
            kinds.insert(String(expected.drop { $0 != "]" && $0 != "u" && $0 != "t" && $0 != "e" }.suffix(4)))
        }
        // The inputs must reach all three kinds of end, or they prove little.
        #expect(kinds.isSuperset(of: ["]end", "osed", "text"]))
    }

    @Test func `the result for the beginning of a text does not depend on the bytes after it`() {
        let seed = SeededGenerator.newSeed()
        let scanner = CSVScanner(delimiter: UInt8(ascii: ","))
        for input in soup(seed: seed).prefix(2_000) {
            input.withUnsafeBufferPointer { bytes in
                let start = bytes.baseAddress!
                let whole = "\(scanner.scan(start, count: bytes.count, isLast: true))"
                for count in 0...bytes.count {
                    let part = "\(scanner.scan(start, count: count, isLast: false))"
                    #expect(
                        part == whole || part == "incomplete",
                        "seed \(seed): \(count) bytes of \(String(decoding: bytes, as: UTF8.self).debugDescription)"
                    )
                }
            }
        }
    }

    @Test func `the first byte that is not UTF-8 is the one that Python names`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let pieces: [[UInt8]] =
            CSVEncodingTests.invalid + ["abc", "é", "日", "😀", "plain ASCII text"].map { Array($0.utf8) }
        let inputs = (0..<20_000).map { _ in
            (0..<Int.random(in: 0...8, using: &generator)).flatMap { _ in
                let piece = pieces.randomElement(using: &generator)!
                let cut = Int.random(in: 0..<5, using: &generator) == 0 ? 1 : 0
                return piece.dropLast(cut)
            }
        }
        let expected = try Python.run(
            """
            for data in inputs:
                try:
                    data.decode()
                    print("nil")
                except UnicodeDecodeError as error:
                    print(error.start)
            """, on: inputs)
        #expect(expected.count == inputs.count)
        for (input, expected) in zip(inputs, expected) {
            let found = input.withUnsafeBufferPointer { bytes in
                bytes.baseAddress.flatMap { UTF8Validation.firstInvalid($0, count: bytes.count) }
            }
            #expect(found.map(String.init) ?? "nil" == expected, "seed \(seed): \(input)")
            let isPlain = input.withUnsafeBufferPointer { bytes in
                bytes.baseAddress.map { UTF8Validation.isPlain($0, count: bytes.count) } ?? true
            }
            #expect(isPlain == input.allSatisfy { (1..<0x80).contains($0) })
        }
    }
}
