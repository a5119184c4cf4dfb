import RecordReading
import Testing

@Suite struct CSVLimitTests {
    private func value(_ count: Int) -> String { String(repeating: "v", count: count) }

    @Test(arguments: [false, true])
    func `a field of the maximum size is read, and one byte more is an error of its row`(isQuoted: Bool)
        throws
    {
        let quote = isQuoted ? "\"" : ""
        let limit = RecordLimits.fieldSize
        let text = "a,b\n1,\(quote)\(value(limit))\(quote)\n2,\(quote)\(value(limit + 1))\(quote)\n3,x\n"
        let reading = try Reading(csv: text)
        #expect(reading.records.map { $0[1]?.utf8.count } == [limit, 1])
        #expect(reading.reasons == [.limit("a field of more than 1048576 bytes")])
        #expect(reading.errors.map(\.column) == [2])
        #expect(reading.errors.map(\.isFatal) == [false])
    }

    @Test func `doubled quotes count once`() throws {
        let limit = RecordLimits.fieldSize
        let quotes = String(repeating: "\"\"", count: limit)
        let reading = try Reading(csv: "a,b\n1,\"\(quotes)\"\n2,\"\(quotes)\"\"\"\n")
        #expect(reading.records.map { $0[1]?.utf8.count } == [limit])
        #expect(reading.errors.map(\.line) == [3])
    }

    @Test(arguments: [0, 1])
    func `a record beyond the maximum size is fatal`(excess: Int) throws {
        // Five columns of at most 1 MiB each.
        let size = RecordLimits.recordSize + excess - 5
        let sizes = (0..<5).map { size / 5 + ($0 < size % 5 ? 1 : 0) }
        let record = sizes.map(value).joined(separator: ",") + "\n"
        #expect(record.utf8.count == RecordLimits.recordSize + excess)
        let reading = try Reading(csv: "a,b,c,d,e\n\(record)1,2,3,4,5\n")
        #expect(reading.records.count == (excess == 0 ? 2 : 0))
        #expect(reading.errors.map(\.isFatal) == (excess == 0 ? [] : [true]))
        #expect(reading.errors.map(\.line) == (excess == 0 ? [] : [2]))
    }

    @Test func `an unclosed quote does not read the whole file into memory`() throws {
        let text = "a,b\n1,\"" + String(repeating: "2\n3,4\n", count: 2_000_000)
        let file = try TemporaryFile(text)
        let reader = try CSVReader(path: file.path)
        let error = #expect(throws: RecordError.self) { try reader.next() }
        #expect(error?.isFatal == true)
        #expect(error?.reason == .limit("a record of more than 4194304 bytes"))
        #expect(reader.byteOffset < 2 * RecordLimits.recordSize)
        #expect(try !reader.next())
    }

    @Test func `the maximum number of columns is read, and one more is an error`() throws {
        let limit = RecordLimits.fieldCount
        let names = (0..<limit).map { "c\($0)" }.joined(separator: ",")
        let commas = String(repeating: ",", count: limit - 1)
        let reading = try Reading(csv: "\(names)\n\(commas)\n\(commas),\n\(commas)\n")
        #expect(reading.lines == [2, 4])
        #expect(reading.reasons == [.limit("more than 4096 fields")])
        let error = try openingError(csv: "\(names),one\n".utf8)
        #expect(error?.reason == .limit("more than 4096 fields"))
    }

    @Test func `a row of a million columns is one error`() throws {
        let reading = try Reading(csv: "a,b\n" + String(repeating: ",", count: 1_000_000) + "\n1,2\n")
        #expect(reading.records == [["1", "2"]])
        #expect(reading.reasons == [.limit("more than 4096 fields")])
    }
}
