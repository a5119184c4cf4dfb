/// An encoder of a directory, except for the parts that only the commit determines.
///
/// The chunks that are stored already, and so the numbers of those that are written, are known only when the
/// write transaction has begun.
struct DirectoryEncoder {
    private let request: SectionCacheRequest
    private let numberOfRows: Int
    private let numberOfSections: Int
    private let rowsPerChunk: Int
    private let canonical: [UInt8]
    private let summary: [UInt8]
    private let token: [UInt8]
    private let sectionTable: [UInt8]
    private let heap: [UInt8]

    /// Encodes the sections of an index.
    init(_ index: SectionIndex, rowsPerChunk: Int, for request: SectionCacheRequest) {
        var table = ByteWriter()
        var heap: [UInt8] = []
        func appendText(_ text: ArraySlice<UInt8>) {
            table.append(UInt32(heap.count))
            table.append(UInt32(text.count))
            heap += text
        }
        for position in 0..<index.numberOfSections {
            let texts = index.texts(ofSection: position)
            table.append(UInt64(index.firstRow(ofSection: position)))
            appendText(texts.identity)
            appendText(texts.name)
            appendText(texts.indexTitle)
        }
        self.request = request
        self.rowsPerChunk = rowsPerChunk
        numberOfRows = index.numberOfRows
        numberOfSections = index.numberOfSections
        canonical = request.request.bytes
        summary = Array(request.request.summary.utf8)
        token = request.token.bytes
        sectionTable = table.bytes
        self.heap = heap
    }

    /// Returns the number of bytes of the directory if it lists this many chunks and no retired ones.
    func byteCount(numberOfChunks: Int) -> Int {
        CacheFormat.headerSize + (canonical.count + summary.count + token.count + 7) / 8 * 8
            + sectionTable.count + numberOfChunks * CacheFormat.chunkRecordSize + heap.count
    }

    /// Returns the directory as it is stored.
    ///
    /// - Parameters:
    ///   - sequence: The number of the commit.
    ///   - chunks: All chunks, in order.
    ///   - retired: The numbers of chunks that are kept for readers of the entry before the save.
    func encoded(sequence: UInt64, chunks: [ChunkRecord], retired: [UInt32]) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(CacheFormat.magic)
        writer.append(CacheFormat.version)
        writer.append(CacheFormat.byteOrderMark)
        writer.append(sequence)
        writer.append([UInt8](repeating: 0, count: 64))
        writer.append(request.token.storeIdentity)
        writer.append(UInt64(numberOfRows))
        for count in [
            numberOfSections, chunks.count, rowsPerChunk, retired.count, canonical.count, summary.count,
            token.count, heap.count,
        ] {
            writer.append(UInt32(count))
        }
        writer.append(canonical)
        writer.append(summary)
        writer.append(token)
        writer.align()
        writer.append(sectionTable)
        var firstRow = 0
        for chunk in chunks {
            chunk.append(to: &writer, firstRow: firstRow)
            firstRow += chunk.rowCount
        }
        for number in retired { writer.append(number) }
        writer.append(heap)
        writer.replace(at: 24, with: SectionDirectory.digest(of: writer.bytes))
        writer.replace(
            at: 56,
            with: SectionDirectory.authenticationCode(
                of: writer.bytes, name: request.name, key: request.authenticationKey))
        return writer.bytes
    }
}
