import Foundation
import SectionCaching
import Testing

/// The dump of an entry in the article “Cache Format”.
@Suite struct EntryDumpTests {
    private static let plain = PlainIndex(sections: [
        .init(identity: [1, 2], name: "Élan", title: "É", rowIDs: [300, -5]),
        .init(identity: [], name: "", title: "", rowIDs: []),
        .init(identity: [9], name: "漢", title: "漢", rowIDs: [70_000]),
    ])

    /// Returns lines of 16 bytes in hexadecimal digits. Two full stops replace bytes that differ in
    /// each run.
    private func dump(_ bytes: [UInt8], changing: [Range<Int>]) -> String {
        stride(from: 0, to: bytes.count, by: 16).map { start in
            let line = (start..<min(start + 16, bytes.count)).map { position in
                let isChanging = changing.contains { $0.contains(position) }
                return isChanging ? ".." : String(UInt16(bytes[position]) + 256, radix: 16).suffix(2)
            }
            let offset = String(start)
            return String(repeating: " ", count: max(0, 4 - offset.count)) + offset + "  "
                + line.joined(separator: " ")
        }.joined(separator: "\n")
    }

    @Test func `the dump is that of an entry`() throws {
        let directory = try CacheFixture()
        directory.store().saveNow(Self.plain, for: Sample())
        let values = try directory.values(ofCache: "artworks")
        try #require(values.count == 2)
        let article = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Sources/SectionCaching/Documentation.docc/CacheFormat.md"),
            encoding: .utf8)
        let entry = values[0].value
        // The digest and the authentication code cover the generation and the digest of the chunk.
        let heapSize = entry[140..<144].reversed().reduce(0) { $0 << 8 | Int($1) }
        let chunkTable = entry.count - heapSize - 72
        for text in [
            dump(entry, changing: [24..<88, chunkTable + 24..<chunkTable + 72]),
            dump(values[1].value, changing: [0..<16]),
        ] {
            #expect(article.contains("```text\n" + text + "\n```"), "\(text)")
        }
    }
}
