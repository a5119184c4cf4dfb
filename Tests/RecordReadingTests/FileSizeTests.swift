import Foundation
import RecordReading
import Testing

@Suite struct FileSizeTests {
    @Test(arguments: ["a,b\n1,2\n", "[{\"a\": 1}]"])
    func `a file of the maximum size is read, and one byte more is refused before reading`(
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

    @Test func `a symbolic link has the size of its target`() throws {
        let file = try TemporaryFile("a,b\n1,2\n")
        let link = file.path + ".link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
        #expect(try openRecords(path: link).byteCount == 8)
        #expect(throws: Never.self) { try openRecords(path: link, options: .init(maximumFileSize: 8)) }
        #expect(throws: RecordError.self) { try openRecords(path: link, options: .init(maximumFileSize: 7)) }
    }
}
