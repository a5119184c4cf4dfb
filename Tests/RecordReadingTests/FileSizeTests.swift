import RecordReading
import Testing

@Suite struct FileSizeTests {
    @Test(arguments: ["a,b\n1,2\n", "[{\"a\": 1}]"])
    func `a file of the greatest size is read, one byte more is refused before anything is read`(
        text: String
    ) throws {
        let file = try TemporaryFile(text.utf8)
        let size = text.utf8.count
        let reader = try openRecords(path: file.path, options: .init(maximumFileSize: size))
        #expect(try reader.next())
        let error = #expect(throws: RecordError.self) {
            try openRecords(path: file.path, options: .init(maximumFileSize: size - 1))
        }
        #expect(error?.reason == .limit("the file has more than \(size - 1) bytes"))
        #expect(error?.isFatal == true)
        #expect(error?.line == 0)
    }
}
