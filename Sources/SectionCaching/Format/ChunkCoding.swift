/// Packs runs of row IDs into chunks, and reads them back.
///
/// A chunk keeps its smallest ID and for each row the distance from it in a fixed number of bytes, so that
/// any row can be read without the others. Measured for a million rows in random order: 3 bytes a row against
/// 8 unpacked, and nothing that also packs variable lengths is smaller than a fixed width for an arbitrary
/// order.
enum ChunkCoding {
    /// How many rows a chunk of an index is meant to hold: as many as fit into ``CacheFormat/chunkSize`` if each takes the bytes that
    /// the distance between the index's smallest and largest ID needs.
    ///
    /// At least three bytes a row are reckoned with, so that a list that begins with few rows and grows does not end with few large
    /// chunks.
    static func rowsPerChunk(of rowIDs: [Int64]) -> Int {
        let width = rowIDs.withUnsafeBufferPointer { bounds(of: $0).width }
        return (CacheFormat.chunkSize - CacheFormat.chunkHeaderSize) / max(3, width)
    }

    /// The bytes of a chunk: generation (16), smallest ID (8), width (1), zeros (7), rows.
    ///
    /// - Returns: The bytes, and the record of the chunk under number 0.
    static func encode(
        _ rowIDs: ArraySlice<Int64>, generation: ChunkRecord.Generation
    ) -> (bytes: [UInt8], record: ChunkRecord) {
        let bytes = rowIDs.withUnsafeBufferPointer { rows in
            let (smallest, width) = bounds(of: rows)
            let byteCount = CacheFormat.chunkHeaderSize + rows.count * width
            // Eight bytes are written for each row, of which the next row overwrites what is too much.
            return [UInt8](unsafeUninitializedCapacity: byteCount + 8) { buffer, count in
                let bytes = UnsafeMutableRawBufferPointer(buffer)
                bytes.storeBytes(of: generation, as: ChunkRecord.Generation.self)
                bytes.storeBytes(of: smallest.littleEndian, toByteOffset: 16, as: Int64.self)
                bytes.storeBytes(of: UInt64(width).littleEndian, toByteOffset: 24, as: UInt64.self)
                var offset = CacheFormat.chunkHeaderSize
                for rowID in rows {
                    let distance = UInt64(bitPattern: rowID &- smallest)
                    bytes.storeBytes(of: distance.littleEndian, toByteOffset: offset, as: UInt64.self)
                    offset += width
                }
                count = byteCount
            }
        }
        let width = (bytes.count - CacheFormat.chunkHeaderSize) / max(1, rowIDs.count)
        let record = ChunkRecord(
            number: 0, rowCount: rowIDs.count, width: width, generation: generation,
            digest: bytes.withUnsafeBytes(ChunkRecord.digest))
        return (bytes, record)
    }

    /// The smallest of some IDs, and the bytes that the distance to the largest needs.
    private static func bounds(of rows: UnsafeBufferPointer<Int64>) -> (smallest: Int64, width: Int) {
        guard var smallest = rows.first else { return (0, 0) }
        var largest = smallest
        for rowID in rows {
            smallest = min(smallest, rowID)
            largest = max(largest, rowID)
        }
        let distance = UInt64(bitPattern: largest &- smallest)
        return (smallest, (UInt64.bitWidth - distance.leadingZeroBitCount + 7) / 8)
    }

    /// The IDs of some rows of a chunk; nil if the bytes cannot be a chunk of so many rows.
    ///
    /// - Parameters:
    ///   - bytes: The chunk, lent by the map.
    ///   - rows: Positions within the chunk.
    ///   - rowCount: How many rows the chunk has, as the directory says.
    static func decode(_ bytes: RawSpan, rows: Range<Int>, rowCount: Int) -> [Int64]? {
        guard let (smallest, width) = header(bytes, rowCount: rowCount), rows.upperBound <= rowCount else {
            return nil
        }
        let mask: UInt64 = width == 8 ? .max : (1 << (8 * UInt64(width))) - 1
        return [Int64](unsafeUninitializedCapacity: rows.count) { buffer, count in
            bytes.withUnsafeBytes { bytes in
                var offset = CacheFormat.chunkHeaderSize + rows.lowerBound * width
                // Eight bytes at once while there are so many; the last rows of a narrow chunk have fewer behind them.
                while count < rows.count, offset + 8 <= bytes.count {
                    let word = UInt64(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                    buffer.initializeElement(at: count, to: Int64(bitPattern: word & mask) &+ smallest)
                    offset += width
                    count += 1
                }
                while count < rows.count {
                    let distance = bytes[offset..<offset + width].reversed().reduce(0) {
                        $0 << 8 | UInt64($1)
                    }
                    buffer.initializeElement(at: count, to: Int64(bitPattern: distance) &+ smallest)
                    offset += width
                    count += 1
                }
            }
        }
    }

    /// The generation of a chunk; zero if there are not enough bytes.
    static func generation(of bytes: RawSpan) -> ChunkRecord.Generation {
        guard bytes.byteCount >= CacheFormat.chunkHeaderSize else { return .zero }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: ChunkRecord.Generation.self) }
    }

    private static func header(_ bytes: RawSpan, rowCount: Int) -> (smallest: Int64, width: Int)? {
        guard bytes.byteCount >= CacheFormat.chunkHeaderSize else { return nil }
        let smallest = Int64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: 16, as: Int64.self))
        let width = Int(bytes.unsafeLoad(fromByteOffset: 24, as: UInt8.self))
        guard width <= 8, bytes.byteCount == CacheFormat.chunkHeaderSize + rowCount * width else {
            return nil
        }
        return (smallest, width)
    }
}
