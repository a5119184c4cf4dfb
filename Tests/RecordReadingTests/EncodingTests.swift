import CheckSupport
import Foundation
import RecordReading
import Testing

/// Files in other encodings, which Python writes.
@Suite(.enabled(if: Python.path != nil, "python3 is not on the search path"))
struct EncodingTests {
    /// Returns a text in another encoding, as Python writes it.
    private func encoded(_ text: String, _ encoding: String, mark: [UInt8] = []) throws -> [UInt8] {
        let file = try TemporaryFile(text)
        return try mark
            + Array(
                Python.output(
                    of: """
                        import sys
                        text = open(sys.argv[1], encoding="utf-8", newline="").read()
                        sys.stdout.buffer.write(text.encode(sys.argv[2]))
                        """, [file.path, encoding]))
    }

    private func table(_ words: [String], rows: Int) -> (text: String, records: [[String?]]) {
        let records = (0..<rows).map { ["\($0)", words[$0 % words.count] + " \($0)"] }
        return ("id,name\r\n" + records.map { $0.joined(separator: ",") + "\r\n" }.joined(), records)
    }

    @Test(
        arguments: [
            ("latin-1", "ISO-8859-1", ["Åsa", "Malmö", "señor", "x"]),
            ("cp1252", "WINDOWS-1252", ["“Œuvre”", "l’été", "10 €", "naïve"]),
            ("utf-16-le", "UTF-16LE", ["é", "日本", "😀", "a"]), ("utf-16-be", "UTF-16BE", ["é", "日本", "😀"]),
            ("utf-32-le", "UTF-32LE", ["é", "😀"]), ("shift_jis", "SHIFT_JIS", ["日本", "テスト", "ｶﾅ"]),
            ("gb18030", "GB18030", ["中文", "€", "😀"]), ("koi8-r", "KOI8-R", ["Мир", "да"]),
            ("cp1251", "CP1251", ["Мир"]), ("iso2022_jp", "ISO-2022-JP", ["日本", "x"]),
            ("mac-roman", "MACINTOSH", ["é", "ü"]), ("cp850", "CP850", ["é", "ü"]),
        ])
    func `a file in a given encoding is read without a lost letter, in any size`(
        python: String, name: String, words: [String]
    ) throws {
        for rows in [1, 3, 30_000] {
            let (text, records) = table(words, rows: rows)
            let file = try TemporaryFile(try encoded(text, python))
            var options = RecordOptions()
            options.encoding = name
            let reading = Reading(try openRecords(path: file.path, options: options))
            #expect(reading.errors.isEmpty)
            #expect(reading.records == records)
        }
    }

    @Test func `every character of an encoding is read as Python reads it`() throws {
        for (python, name) in [("latin-1", "ISO-8859-1"), ("cp1252", "WINDOWS-1252"), ("koi8-r", "KOI8-R")] {
            let bytes = (0x20...0xFF).filter { $0 != 0x22 && $0 != 0x2C }.map { UInt8($0) }
            let lines = bytes.map { [$0] + Array(",x\n".utf8) }
            let file = try TemporaryFile(Array("a,b\n".utf8) + lines.joined())
            var options = RecordOptions()
            options.encoding = name
            let reading = Reading(try openRecords(path: file.path, options: options))
            let expected = try Python.run(
                "for data in inputs: print(data.decode('\(python)', 'replace').encode().hex())",
                on: bytes.map { [$0] })
            let right = zip(bytes, expected).filter { $0.1 != "efbfbd" }
            #expect(
                reading.values("a").map { Python.hexadecimal($0!.utf8) } == right.map(\.1), "\(name)")
            #expect(reading.errors.count == bytes.count - right.count)
            for error in reading.errors {
                guard case .invalidText(name, _) = error.reason else {
                    Issue.record("not \(error)")
                    return
                }
            }
            options.replacesInvalidUTF8 = true
            let replaced = Reading(try openRecords(path: file.path, options: options))
            #expect(replaced.values("a").count == bytes.count)
        }
    }

    @Test(
        arguments: [
            ("latin-1", [], ["Åsa", "Malmö", "ça", "É»", "x"], "WINDOWS-1252"),
            ("cp1252", [], ["“Œuvre”", "l’été", "naïve", "Größe"], "WINDOWS-1252"),
            ("utf-8", [], ["Åsa", "日本", "😀"], nil), ("utf-8", [0xEF, 0xBB, 0xBF], ["Åsa"], nil),
            ("ascii", [], ["plain"], nil),
            ("utf-16-le", [0xFF, 0xFE], ["Åsa"], "UTF-16LE"),
            ("utf-16-be", [0xFE, 0xFF], ["日本"], "UTF-16BE"),
            ("utf-16-le", [], ["Åsa", "x"], "UTF-16LE"), ("utf-16-be", [], ["日本", "中文字符"], "UTF-16BE"),
            ("utf-16-le", [], ["一", "第一"], "UTF-16LE"), ("utf-16-be", [], ["一二", "一"], "UTF-16BE"),
            ("utf-32-le", [0xFF, 0xFE, 0, 0], ["Åsa"], "UTF-32LE"),
        ] as [(String, [UInt8], [String], String?)])
    func `the encoding is found by content, and the records are those of Python`(
        python: String, mark: [UInt8], words: [String], name: String?
    ) throws {
        for rows in [words.count, 5_000] {
            let (text, records) = table(words, rows: rows)
            let file = try TemporaryFile(try encoded(text, python, mark: mark))
            let detection = try EncodingDetection(path: file.path, options: RecordOptions())
            #expect(detection.name == name)
            #expect((detection.note == nil) == (name == nil))
            var options = RecordOptions()
            options.encoding = detection.name
            let reading = Reading(try openRecords(path: file.path, options: options))
            #expect(reading.errors.isEmpty)
            #expect(reading.fieldNames == ["id", "name"])
            #expect(reading.records == records)
        }
    }

    @Test(
        arguments: [
            Array("\"李\"\na\0b\na\0b".utf8), Array("\"李\"\na\0b\na\0bc".utf8),
            Array("ab\nab\na\0b\na\0b\n".utf8),
            Array("x,y\n1,a\0\n2,\0\0\n".utf8), Array("é\nab\0\0\n\0\0".utf8),
        ] as [[UInt8]])
    func `UTF-8 with a few NULs is not taken for UTF-16, and their rows are bad`(bytes: [UInt8]) throws {
        let file = try TemporaryFile(bytes)
        #expect(try EncodingDetection(path: file.path, options: .init()).name == nil)
        var options = RecordOptions(delimiter: UInt8(ascii: ";"))
        options.hasHeader = false
        let reading = Reading(try openRecords(path: file.path, options: options))
        let expected = try Python.run(
            """
            for data in inputs:
                lines = [l for l in data.decode().split("\\n") if l]
                print(sum("\\0" in l for l in lines), sum("\\0" not in l for l in lines))
            """, on: [bytes])
        #expect("\(reading.errors.count) \(reading.records.count)" == expected[0])
        #expect(reading.errors.allSatisfy { $0.reason == .nulByte })
    }

    @Test func `UTF-16 without a mark needs units that are text to the end of the file`() throws {
        let bytes = try encoded("id,name\n1,日本\n2,кофе\n", "utf-16-le")
        for (change, isText) in [
            ([], true), ([0x41], false), ([0, 0], false), ([0, 0xD8], false), ([0, 0xDC], false),
            ([0x3D, 0xD8, 1, 0xDE], true),
        ] as [([UInt8], Bool)] {
            let file = try TemporaryFile(bytes + change)
            let found = try? EncodingDetection(path: file.path, options: .init()).name
            #expect((found == "UTF-16LE") == isText, "\(change)")
        }
    }

    @Test func `late letters beyond ASCII determine the encoding`() throws {
        let text = String(repeating: "1,plain\n", count: 200_000) + "2,Åsa\n"
        let file = try TemporaryFile(try encoded("id,name\n" + text, "latin-1"))
        #expect(try EncodingDetection(path: file.path, options: .init()).name == "WINDOWS-1252")
    }

    @Test(
        arguments: [
            ("shift_jis", ["日本語", "テスト", "ひらがな"]), ("koi8-r", ["Москва", "роман"]),
            ("cp1251", ["Москва", "роман"]),
            ("gb18030", ["中文字", "小说"]), ("cp850", ["Größe", "élève", "señor"]),
            ("cp1250", ["Michał", "książka"]),
            ("mac-roman", ["Größe", "élève"]), ("iso8859-7", ["Αθήνα", "βιβλίο"]),
        ])
    func `an encoding that is not recognized is not guessed`(python: String, words: [String]) throws {
        let (text, _) = table(words, rows: 200)
        let file = try TemporaryFile(try encoded(text, python))
        let error = #expect(throws: RecordError.self) {
            try EncodingDetection(path: file.path, options: .init())
        }
        #expect(error?.reason == .unknownEncoding)
        #expect(error?.description.contains("--encoding") == true)
    }

    @Test func `UTF-8 with a few damaged bytes is not taken for another encoding`() throws {
        let file = try TemporaryFile(
            Array("id,name\n1,Åsa\n2,é".utf8) + [0xFF, 0xC3] + Array("\n3,Bo\n".utf8))
        #expect(
            try EncodingDetection(path: file.path, options: .init())
                == EncodingDetection(path: "/dev/null", options: .init()))
    }

    @Test(arguments: ["NO-SUCH-ENCODING", "", "LATIN1//IGNORE"])
    func `an encoding without a converter is an error with a remedy`(name: String) throws {
        let file = try TemporaryFile("a,b\n1,2\n")
        var options = RecordOptions()
        options.encoding = name
        let error = #expect(throws: RecordError.self) { try openRecords(path: file.path, options: options) }
        #expect(error?.isFatal == true)
        #expect(error?.description.contains("iconv --list") == true)
    }

    @Test func `lines of JSON are read in other encodings, with the line of a bad byte`() throws {
        let bytes = try encoded("{\"a\": \"é\"}\n{\"a\": \"ü\"}\n", "utf-16-be")
        let file = try TemporaryFile(bytes.dropLast(2) + [0xD8, 0, 0, 0x0A] + bytes.prefix(22))
        var options = RecordOptions()
        options.encoding = "UTF-16BE"
        let reading = Reading(try openRecords(path: file.path, options: options))
        #expect(reading.values("a").prefix(2) == ["é", "ü"])
        #expect(reading.errors.first?.line ?? 3 >= 2)
    }
}
