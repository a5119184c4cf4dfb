import Crypto

/// An index as the values that are stored: one directory and its chunks.
struct EncodedIndex {
    /// The directory but for its sequence number, digest and authentication code, which the commit decides.
    private var directory: [UInt8]
    /// The chunks in order.
    let chunks: [[UInt8]]

    /// The bytes of everything.
    var byteCount: Int { chunks.reduce(directory.count) { $0 + $1.count } }

    /// Encodes an index in memory; nil for one that is backed by a cache, which is stored already.
    init?(_ index: SectionIndex, for request: SectionCacheRequest) {
        guard case .memory(let sections, let rowIDs) = index.backing else { return nil }
        let generation = withUnsafeBytes(of: (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))) {
            Array($0)
        }
        let width = ChunkCoding.width(of: rowIDs)
        let rowsPerChunk = ChunkCoding.rowsPerChunk(width: width)
        chunks = stride(from: 0, to: rowIDs.count, by: rowsPerChunk).map { first in
            ChunkCoding.encode(
                rowIDs[first..<min(first + rowsPerChunk, rowIDs.count)], width: width, generation: generation)
        }
        var table = ByteWriter()
        var heap: [UInt8] = []
        func place(_ text: [UInt8]) {
            table.append(UInt32(heap.count))
            table.append(UInt32(text.count))
            heap += text
        }
        for section in sections {
            table.append(UInt64(section.rows.lowerBound))
            place(section.identity)
            place(Array(section.name.utf8))
            place(Array(section.indexTitle.utf8))
        }
        for (number, chunk) in chunks.enumerated() {
            table.append(UInt64(number * rowsPerChunk))
            table.append(UInt32(min(rowsPerChunk, rowIDs.count - number * rowsPerChunk)))
            table.append(UInt32(chunk.count))
            table.append(Array(SHA256.hash(data: chunk)))
        }
        let canonical = request.request.bytes
        let summary = Array(request.request.summary.utf8)
        let token = request.token.bytes
        var writer = ByteWriter()
        writer.append(CacheFormat.magic)
        writer.append(CacheFormat.version)
        writer.append(CacheFormat.byteOrderMark)
        writer.append(UInt64(0))
        writer.append([UInt8](repeating: 0, count: 64))
        writer.append(generation)
        writer.append(request.token.storeIdentity)
        writer.append(UInt64(rowIDs.count))
        for count in [
            sections.count, chunks.count, rowsPerChunk, canonical.count, summary.count, token.count,
            heap.count, 0,
        ] {
            writer.append(UInt32(count))
        }
        writer.append(canonical)
        writer.append(summary)
        writer.append(token)
        writer.align()
        writer.append(table.bytes)
        writer.append(heap)
        directory = writer.bytes
    }

    /// The directory as it is stored by the commit with a number.
    func directory(sequence: UInt64, name: CacheName, key: [UInt8]) -> [UInt8] {
        var bytes = directory
        bytes.replaceSubrange(16..<24, with: withUnsafeBytes(of: sequence.littleEndian) { Array($0) })
        bytes.replaceSubrange(24..<56, with: SectionDirectory.digest(of: bytes))
        bytes.replaceSubrange(
            56..<88, with: SectionDirectory.authenticationCode(of: bytes, name: name, key: key))
        return bytes
    }
}
