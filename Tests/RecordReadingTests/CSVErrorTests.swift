import Foundation
import RecordReading
import CheckSupport
import Testing

@Suite struct CSVErrorTests {
    @Test func `ragged rows are reported with their line, and reading continues`() throws {
        let reading = try Reading(csv: "a,b,c\n1,2,3\n4,5\n\"6\n7\",8,9,10\n11,12,13\n14\n15,16,17")
        #expect(reading.records == [["1", "2", "3"], ["11", "12", "13"], ["15", "16", "17"]])
        #expect(reading.lines == [2, 6, 8])
        #expect(reading.errors.map(\.line) == [3, 4, 7])
        #expect(
            reading.reasons == [
                .fieldCount(found: 2, expected: 3), .fieldCount(found: 4, expected: 3),
                .fieldCount(found: 1, expected: 3),
            ])
        #expect(reading.errors.map(\.isFatal) == [false, false, false])
    }

    @Test func `each random bad row among good ones is reported`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        var text = "a,b\n"
        var line = 2
        var goodLines: [Int] = []
        var bad: [Int: RecordError.Reason] = [:]
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                text += "one\n"
                bad[line] = .fieldCount(found: 1, expected: 2)
            case 1:
                text += "1,\"two\"rest\n"
                bad[line] = .textAfterQuote
            case 2:
                text += "1,t\0wo\n"
                bad[line] = .nulByte
            case 3:
                text += "\"1\r\n2\",\"\n\"\n"
                goodLines.append(line)
                line += 2
            default:
                text += "1,two\n"
                goodLines.append(line)
            }
            line += 1
        }
        let reading = try Reading(csv: text)
        #expect(reading.lines == goodLines, "seed \(seed)")
        #expect(
            Dictionary(uniqueKeysWithValues: reading.errors.map { ($0.line, $0.reason) }) == bad,
            "seed \(seed)")
    }

    @Test func `an unclosed quote is fatal, and its error has the line and column of its beginning`() throws {
        let reading = try Reading(csv: "a,b\n1,2\n3,\"four\n5,6\n7,8\n")
        #expect(reading.records == [["1", "2"]])
        let error = try #require(reading.errors.first)
        #expect(reading.errors.count == 1)
        #expect(error.reason == .unclosedQuote)
        #expect(error.isFatal)
        #expect((error.line, error.column, error.columnName) == (3, 2, "b"))
    }

    @Test(arguments: ["\"", "\"x", "\"x\"\"", "1,2,\"\n\n\r"])
    func `no record is read after an unclosed quote`(rest: String) throws {
        let file = try TemporaryFile("a,b\n1,2\n" + rest)
        let reader = try CSVReader(path: file.path)
        #expect(try reader.next())
        let error = #expect(throws: RecordError.self) { try reader.next() }
        #expect(error?.reason == .unclosedQuote)
        #expect(try !reader.next())
        #expect(reader.byteOffset == reader.byteCount)
    }

    @Test func `text after a closing quote is an error of its row and column`() throws {
        let reading = try Reading(csv: "a,b\n1,\"two\" \n\"x\"y,2\n3,4\n")
        #expect(reading.records == [["3", "4"]])
        #expect(reading.reasons == [.textAfterQuote, .textAfterQuote])
        #expect(reading.errors.map(\.columnName) == ["b", "a"])
        #expect(reading.errors.map(\.line) == [2, 3])
    }

    @Test func `a NUL byte is an error of its row and column`() throws {
        let reading = try Reading(csv: "a,b\n1,t\0wo\n\"\0\",4\n5,\"\"\"\0\"\n7,8\n")
        #expect(reading.records == [["7", "8"]])
        #expect(reading.reasons == [.nulByte, .nulByte, .nulByte])
        #expect(reading.errors.map(\.column) == [2, 1, 2])
    }

    @Test func `a repeated name in the header is refused`() throws {
        let error = try openingError(csv: "a,b,a\n1,2,3\n".utf8)
        #expect(error?.reason == .repeatedColumn("a"))
        #expect((error?.column, error?.line) == (3, 1))
        #expect(error?.isFatal == true)
    }

    @Test(arguments: [
        ("a,b,a", ["a", "b", "a_3"]), ("a,a,a", ["a", "a_2", "a_3"]), ("a,,b", ["a", "column2", "b"]),
        (",", ["column1", "column2"]), ("a,a,a_2", ["a", "a_2_2", "a_2"]),
        ("a_2,a,a", ["a_2", "a", "a_3"]), ("column2,", ["column2", "column2_2"]),
        ("a,A,\u{E9},e\u{301}", ["a", "A", "\u{E9}", "e\u{301}"]),
    ])
    func `numbers distinguish columns with equal names or none`(header: String, names: [String]) throws {
        let reading = try Reading(
            csv: "\(header)\n", options: CSVReader.Options(numbersColumns: true))
        #expect(reading.fieldNames.map { Array($0.utf8) } == names.map { Array($0.utf8) })
        #expect(Set(reading.fieldNames.map { Array($0.utf8) }).count == names.count)
    }

    @Test(arguments: [
        ("", 1), ("\n\r\n", 1), ("\n\na,\"b\"c\n1,2\n", 3), ("a,\"b\"c\n1,2\n", 1), ("a,\u{0}\n", 1),
        ("\"a", 1),
    ])
    func `a header that cannot be read is fatal`(text: String, line: Int) throws {
        let error = try openingError(csv: text.utf8)
        #expect(error?.isFatal == true)
        #expect(error?.line == line)
    }

    @Test func `a missing file and a directory are named`() throws {
        let directory = FileManager.default.temporaryDirectory.path
        for (path, detail) in [
            (directory, "it is a directory"), (directory + "/\(UUID())", "no such file"),
        ] {
            let error = #expect(throws: RecordError.self) { try CSVReader(path: path) }
            #expect(error?.reason == .unreadable(detail))
            #expect(error?.file == path)
            #expect(error?.description == "\(path): cannot be read: \(detail)")
        }
    }

    @Test func `the description is file, line, column and reason`() throws {
        let file = try TemporaryFile("id,name\n1,\"two\"x\n")
        let reader = try CSVReader(path: file.path)
        let error = #expect(throws: RecordError.self) { try reader.next() }
        #expect("\(error!)" == "\(file.path):2: column 2 (name): text follows the closing quote of a field")
    }

    @Test func `a database is refused with the name of its format`() throws {
        let file = try TemporaryFile("SQLite format 3\0\u{10}\0,\n")
        let error = #expect(throws: RecordError.self) { try openRecords(path: file.path) }
        #expect(error?.reason == .database(path: file.path))
    }

    @Test(arguments: [
        "<?xml version=\"1.0\"?>\n<plist>\n", "\u{FEFF}<!DOCTYPE html>", "\n <rss a='1,2'>",
        "%PDF-1.7\n1,2\n",
        "sep=;;\na;b\n1;2\n",
        "BZh91AY,\n",
    ])
    func `a file of another format is refused, and read if a delimiter is given`(text: String) throws {
        let file = try TemporaryFile(text)
        let error = #expect(throws: RecordError.self) { try openRecords(path: file.path) }
        guard case .otherFormat? = error?.reason else {
            Issue.record("\(text): \(error.map { "\($0)" } ?? "no error")")
            return
        }
        #expect(error?.isFatal == true)
        let options = CSVReader.Options(delimiter: UInt8(ascii: ","))
        #expect(try openRecords(path: file.path, options: options) is CSVReader)
    }

    @Test(arguments: ["<1,b\n1,2\n", "< a,b\n1,2\n", "separator,b\n1,2\n", "%,b\n1,2\n"])
    func `headers that begin similarly are read`(text: String) throws {
        let file = try TemporaryFile(text)
        #expect(Reading(try openRecords(path: file.path)).records == [["1", "2"]])
    }
}
