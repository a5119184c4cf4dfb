import Foundation
import Testing

/// Bytes of one character that are divided between two values of a record.
@Suite struct SplitCharacterTests {
    /// Formats with values that end and begin with the bytes of “é”, and a good record after them.
    private static let files: [(name: String, record: [UInt8])] = [
        (
            "a.bib",
            Array("@b{l".utf8) + [0xC3] + Array(", y = {".utf8) + [0xA9] + Array("}}\n@b{m, y = {1}}\n".utf8)
        ),
        (
            "a.ris",
            Array("TY  - BOOK\nAU  - A".utf8) + [0xC3] + Array("\nTI  - ".utf8) + [0xA9]
                + Array("b\nER  - \nTY  - BOOK\nAU  - B\nTI  - b\nER  - \n".utf8)
        ),
        ("a.csv", Array("a,b\nx".utf8) + [0xC3, 0x2C, 0xA9] + Array("\ny,z\n".utf8)),
        (
            "a.jsonl",
            Array("{\"a\": \"x".utf8) + [0xC3] + Array("\", \"b\": \"".utf8) + [0xA9]
                + Array("\"}\n{\"a\": \"y\", \"b\": \"z\"}\n".utf8)
        ),
    ]

    @Test(arguments: files.indices)
    func `values that are text only together make a bad record`(number: Int) throws {
        let (name, bytes) = Self.files[number]
        let directory = try ScratchDirectory()
        try Data(bytes).write(to: directory.file(name))
        let run = try ToolProcess.run(
            "library-import",
            [
                directory.path(name), directory.path("library.store"), "--entity", "Row", "--encoding",
                "UTF-8",
            ])
        #expect(run.status == 1, "\(run)")
        #expect(run.output.hasPrefix("1 inserted, 0 updated, 0 unchanged, 1 skipped"), "\(run)")
        #expect(run.errors.contains("UTF-8"), "\(run)")
    }
}
