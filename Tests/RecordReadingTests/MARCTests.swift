import CheckSupport
import Foundation
import RecordReading
import Testing

/// MARC 21 and MARCXML, made by a separate writer in Python.
@Suite struct MARCTests {
    /// Writes the records of JSON as ISO 2709 and as MARCXML, in hexadecimal digits.
    private static let program = """
        import json
        from xml.sax.saxutils import escape, quoteattr
        def iso(record, coding="a"):
            directory, data = b"", b""
            for tag, value in record:
                field = value.encode() if isinstance(value, str) else \\
                    ("".join(["10"] + ["\\x1f" + c + v for c, v in value])).encode()
                field += b"\\x1e"
                directory += f"{tag}{len(field):04d}{len(data):05d}".encode()
                data += field
            base = 24 + len(directory) + 1
            length = base + len(data) + 1
            return f"{length:05d}nam {coding}22{base:05d} a 4500".encode() + directory + b"\\x1e" + data + b"\\x1d"
        def xml(records):
            out = '<?xml version="1.0"?><marc:collection xmlns:marc="http://www.loc.gov/MARC21/slim">'
            for record in records:
                out += "<marc:record><marc:leader>00000nam a2200000 a 4500</marc:leader>"
                for tag, value in record:
                    if isinstance(value, str):
                        out += f'<marc:controlfield tag="{tag}">{escape(value)}</marc:controlfield>'
                    else:
                        out += f'<marc:datafield tag="{tag}" ind1="1" ind2="0">' + "".join(
                            f"<marc:subfield code={quoteattr(c)}>{escape(v)}</marc:subfield>" for c, v in value
                        ) + "</marc:datafield>"
                out += "</marc:record>\\n"
            return (out + "</marc:collection>").encode()
        for data in inputs:
            records = json.loads(data)
            print(b"".join(iso(r) for r in records).hex())
            print(xml(records).hex())
            print(b"\\n".join(iso(r, " ") for r in records).hex())
        """

    private static let records = """
        [[["001", "12345"], ["008", "850423s1984    nyu           000 1 eng  "], ["020", [["a", "0123456789 (pbk.)"]]],
          ["020", [["a", "9780123456786"]]], ["050", [["a", "PR6045"], ["b", ".O72"]]],
          ["100", [["a", "Woolf, Virginia,"], ["d", "1882-1941."]]],
          ["245", [["a", "To the lighthouse <&> /"], ["c", "Virginia Woolf."]]],
          ["260", [["a", "New York :"], ["b", "Harcourt,"], ["c", "1984."]]],
          ["650", [["a", "Islands"], ["z", "Scotland"]]], ["650", [["a", "Summer"]]], ["999", [["x", "local"]]]],
         [["001", "2"], ["245", [["a", "\\u017bycie"], ["b", "\\u6771\\u4eac"]]]]]
        """

    private func made() throws -> [[UInt8]] {
        let lines = try Python.run(Self.program, on: [Array(Self.records.utf8)])
        return lines.map { line in
            let digits = Array(line.utf8)
            return stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
            }
        }
    }

    private func options(_ columns: [String]? = nil, encoding: String? = nil) -> RecordOptions {
        var options = RecordOptions()
        options.columnNames = columns
        options.encoding = encoding
        return options
    }

    @Test func `the common fields have names, in both forms of MARC`() throws {
        let files = try made()
        for bytes in files.prefix(2) {
            let reading = try NamedReading(bytes)
            #expect(reading.errors.isEmpty)
            #expect(
                reading.records == [
                    [
                        "controlNumber": "12345", "language": "eng",
                        "isbn": "0123456789 (pbk.); 9780123456786",
                        "callNumber": "PR6045 .O72", "author": "Woolf, Virginia, 1882-1941.",
                        "title": "To the lighthouse <&> /", "responsibility": "Virginia Woolf.",
                        "place": "New York :", "publisher": "Harcourt,", "date": "1984.",
                        "subjects": "Islands Scotland; Summer",
                    ], ["controlNumber": "2", "title": "Życie 東京"],
                ])
        }
        #expect(try NamedReading(files[0]).lines == [1, 2])
        // A record is read alone, and its encoding is not guessed.
        let file = try TemporaryFile(files[0])
        #expect(try EncodingDetection(path: file.path, options: RecordOptions()).name == nil)
    }

    @Test func `chosen fields are columns`() throws {
        for bytes in try made().prefix(2) {
            let chosen = try NamedReading(
                bytes, options: options(["001", "245$a", "650$a", "999$x", "title"]))
            #expect(
                chosen.records[0] == [
                    "001": "12345", "245$a": "To the lighthouse <&> /", "650$a": "Islands; Summer",
                    "999$x": "local", "title": "To the lighthouse <&> /",
                ])
            let all = try NamedReading(bytes, options: options(["*"]))
            #expect(
                all.records[1].filter { $0.key != "LDR" } == ["001": "2", "245$a": "Życie", "245$b": "東京"])
            #expect(all.records[0]["100$d"] == "1882-1941.")
        }
        let file = try TemporaryFile(try made()[0])
        let error = #expect(throws: RecordError.self) {
            try openRecords(path: file.path, options: options(["245a"]))
        }
        #expect("\(String(describing: error))".contains("“245a” is not a column of MARC"))
    }

    @Test func `a text whose leader says MARC-8 is refused, unless an option says UTF-8`() throws {
        let bytes = try made()[2]
        let plain = try NamedReading(bytes)
        #expect(plain.records.map { $0["controlNumber"] } == ["12345"])
        #expect(plain.errors.count == 1 && "\(plain.errors)".contains("yaz-marcdump -f MARC-8"))
        #expect(try NamedReading(bytes, options: options(encoding: "UTF-8")).records.count == 2)
        let file = try TemporaryFile(bytes)
        #expect(throws: RecordError.self) {
            try openRecords(path: file.path, options: options(encoding: "ISO-8859-1"))
        }
    }

    @Test func `damaged records are bad, and the next one is read`() throws {
        let bytes = try made()[0]
        let length = Int(String(decoding: bytes[..<5], as: UTF8.self)) ?? 0
        let (first, second) = (Array(bytes[..<length]), Array(bytes[length...]))
        var changed = first
        changed[12...16] = ArraySlice("00100".utf8)
        var shifted = first
        shifted[24 + 7...24 + 11] = ArraySlice("09000".utf8)
        for bad in [changed, shifted, first.filter { $0 != 0x27 && $0 != 0x2E }] {
            let reading = try NamedReading(first + bad + second)
            #expect(reading.records.map { $0["controlNumber"] } == ["12345", "2"])
            #expect(reading.errors.map(\.line) == [2] && reading.errors.allSatisfy { !$0.isFatal })
        }
        for count in [30, first.count - 1] {
            let reading = try NamedReading(second + first.prefix(count))
            #expect(reading.records.count == 1 && reading.errors.count == 1)
            #expect("\(reading.errors)".contains("truncated"))
        }
    }
}
