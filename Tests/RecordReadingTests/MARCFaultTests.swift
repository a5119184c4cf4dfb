import Foundation
import RecordReading
import Testing

/// Records of MARC 21 with faults in their leader, directory, text or end, and MARCXML without its namespace.
@Suite struct MARCFaultTests {
    /// Returns a record of ISO 2709.
    private static func record(_ number: Int, _ title: [UInt8] = Array("T".utf8), coding: String = "a")
        -> [UInt8]
    {
        let fields = [("001", Array("\(number)".utf8)), ("245", Array("10\u{1F}a".utf8) + title)]
        var (directory, data): ([UInt8], [UInt8]) = ([], [])
        for (tag, value) in fields {
            let sizes = String(format: "%04d%05d", value.count + 1, data.count)
            directory += Array((tag + sizes).utf8)
            data += value + [0x1E]
        }
        let base = 24 + directory.count + 1
        let leader = String(format: "%05dnam \(coding)22%05d a 4500", base + data.count + 1, base)
        return Array(leader.utf8) + directory + [0x1E] + data + [0x1D]
    }

    private static func changed(_ place: Int, _ text: String) -> [UInt8] {
        var bytes = record(1)
        bytes.replaceSubrange(place..<place + text.utf8.count, with: text.utf8)
        return bytes
    }

    @Test(
        arguments: [
            (changed(0, "99999"), "another length"), (changed(0, "     "), "no leader"),
            (changed(12, "00030"), "another length"), (changed(12, "99999"), "another length"),
            (changed(20, "    "), "no leader"), (changed(10, "  "), "no leader"),
            (changed(27, "9999"), "directory does not fit the field 001"),
            (changed(31, "99999"), "directory does not fit the field 001"),
            (changed(27, "0000"), "directory does not fit the field 001"),
            (Array(record(1).dropLast(2)) + [0x1D], "another length"),
            (Array(record(1).dropLast(1)), "another length"),
            (record(1, [0xE1, 0x65]), "not UTF-8, although the leader"),
            (record(1, [0xC3, 0xA9], coding: " "), "MARC-8"),
        ] as [([UInt8], String)])
    func `a record with a fault is bad wherever it stands, and another one is read`(
        bytes: [UInt8], reason: String
    ) throws {
        // Without its end, a record takes the next one with it.
        let isJoined = bytes.last != 0x1D
        for (before, after) in [(0, 2), (2, 1)] {
            let file =
                (0..<before).flatMap { Self.record(10 + $0) } + bytes
                + (0..<after).flatMap { Self.record(20 + $0) }
            let reading = try NamedReading(file)
            #expect(reading.records.count == before + after - (isJoined ? 1 : 0))
            #expect(reading.errors.count == 1 && reading.errors.allSatisfy { !$0.isFatal })
            #expect(reading.errors.first?.line == before + 1)
            #expect("\(reading.errors)".contains(reason), "\(reading.errors)")
        }
    }

    @Test func `a text that the leader calls UTF-8 can be replaced`() throws {
        var options = RecordOptions()
        options.replacesInvalidUTF8 = true
        let reading = try NamedReading(Self.record(1, [0xE1, 0x65]), options: options)
        #expect(reading.errors.isEmpty && reading.records.first?["title"] == "\u{FFFD}e")
    }

    private static let fields =
        "<leader>x</leader><controlfield tag=\"001\">7</controlfield><datafield tag=\"245\"><subfield code=\"a\">T</subfield></datafield>"

    @Test(
        arguments: [
            "<collection><record>\(fields)</record></collection>", "<record>\(fields)</record>",
            "<x:collection xmlns:x=\"http://www.loc.gov/MARC21/slim\"><x:record>\(fields.replacing("</", with: "</x:").replacing("<", with: "<x:").replacing("<x:/x:", with: "</x:"))</x:record></x:collection>",
            "<OAI-PMH xmlns=\"u\"><ListRecords><record><header/><metadata><record>\(fields)</record></metadata></record></ListRecords></OAI-PMH>",
            "<zs:searchRetrieveResponse xmlns:zs=\"u\"><zs:records><zs:record><zs:recordData><record>\(fields)</record></zs:recordData></zs:record></zs:records></zs:searchRetrieveResponse>",
        ])
    func `MARCXML is read without its namespace, with a prefix, and inside answers of servers`(text: String)
        throws
    {
        let reading = try NamedReading(text)
        #expect(reading.errors.isEmpty && reading.records == [["controlNumber": "7", "title": "T"]])
    }

    @Test func `records of other XML are no MARCXML`() throws {
        let file = try TemporaryFile("<collection><record><title>T</title></record></collection>")
        #expect(throws: RecordError.self) { try openRecords(path: file.path) }
    }
}
