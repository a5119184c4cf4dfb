/// Packed rows in borrowed memory: that of ``PackedRows``, or of a cache's map.
struct PackedView {
    private let bytes: UnsafeRawBufferPointer
    /// The number of rows.
    let count: Int
    /// The base of the differences, which are counted upwards and modulo 2⁶⁴. In a chunk that was not edited
    /// no row is below it.
    let base: Int64
    /// The number of bytes of each difference, 0 to 8.
    let width: Int

    /// - Parameter bytes: A chunk that satisfies ``isChunk(_:count:)``.
    init(_ bytes: UnsafeRawBufferPointer, count: Int) {
        self.bytes = bytes
        self.count = count
        base = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self))
        width = Int(bytes[24])
    }

    /// Returns whether bytes can be a chunk of this many rows.
    static func isChunk(_ chunk: RawSpan, count: Int) -> Bool {
        guard chunk.byteCount >= CacheFormat.chunkHeaderSize else { return false }
        let width = Int(chunk.unsafeLoad(fromByteOffset: 24, as: UInt8.self))
        return width <= 8 && chunk.byteCount == CacheFormat.chunkHeaderSize + count * width
    }

    /// Returns the largest difference in this many bytes.
    static func mask(_ width: Int) -> UInt64 { width == 8 ? .max : (1 << (8 * UInt64(width))) - 1 }

    /// The ID of one row.
    subscript(position: Int) -> Int64 {
        let offset = CacheFormat.chunkHeaderSize + position * width
        if offset + 8 <= bytes.count {
            return word(at: offset, mask: Self.mask(width))
        }
        // Fewer than eight bytes are left for the last rows of a narrow chunk.
        let distance = bytes[offset..<offset + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return Int64(bitPattern: distance) &+ base
    }

    /// Returns the IDs of some rows.
    func rowIDs(in rows: Range<Int>) -> [Int64] {
        [Int64](unsafeUninitializedCapacity: rows.count) { buffer, count in
            unpack(rows, to: buffer)
            count = rows.count
        }
    }

    /// Lends the unpacked rows to a closure, piece by piece until the closure returns false.
    ///
    /// A piece is small enough to stay in the processor's nearest cache; a whole chunk would need newly
    /// allocated memory each time.
    ///
    /// - Parameter body: Receives rows and the position of the first, and returns whether to continue.
    func forEachPiece(_ body: (UnsafeBufferPointer<Int64>, Int) -> Bool) {
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: Self.rowsPerPiece) { buffer in
            var first = 0
            while first < count {
                let rows = first..<min(first + Self.rowsPerPiece, count)
                unpack(rows, to: buffer)
                guard body(UnsafeBufferPointer(buffer.extracting(..<rows.count)), first) else { return }
                first = rows.upperBound
            }
        }
    }

    /// Calls a closure with each row for whose ID the lowest sixteen bits are in a set.
    ///
    /// These bits depend on the first two bytes of a packed row only, so nothing is unpacked: less than a
    /// nanosecond per row.
    ///
    /// - Parameters:
    ///   - bits: The set, as one bit for each value of the sixteen bits.
    ///   - body: Receives the position of a row and its ID.
    func forEach(withLowBitsAmong bits: UnsafeBufferPointer<UInt64>, _ body: (Int, Int64) -> Void) {
        guard let words = bits.baseAddress, let start = bytes.baseAddress else { return }
        guard width >= 2 else {
            // No bytes follow the last of these rows.
            for position in 0..<count {
                let rowID = self[position]
                let low = UInt16(truncatingIfNeeded: rowID)
                if words[Int(low >> 6)] &>> UInt64(low & 63) & 1 != 0 { body(position, rowID) }
            }
            return
        }
        let lowBase = UInt16(truncatingIfNeeded: base)
        var row = start + CacheFormat.chunkHeaderSize
        for position in 0..<count {
            let low = UInt16(littleEndian: row.loadUnaligned(as: UInt16.self)) &+ lowBase
            if words[Int(low &>> 6)] &>> UInt64(low & 63) & 1 != 0 { body(position, self[position]) }
            row += width
        }
    }

    /// The number of rows of a piece: 4 KiB of IDs.
    private static let rowsPerPiece = 512

    private func unpack(_ rows: Range<Int>, to buffer: UnsafeMutableBufferPointer<Int64>) {
        let mask = Self.mask(width)
        var offset = CacheFormat.chunkHeaderSize + rows.lowerBound * width
        var next = 0
        // Read eight bytes at once while as many are left.
        while next < rows.count, offset + 8 <= bytes.count {
            buffer.initializeElement(at: next, to: word(at: offset, mask: mask))
            offset += width
            next += 1
        }
        while next < rows.count {
            buffer.initializeElement(at: next, to: self[rows.lowerBound + next])
            next += 1
        }
    }

    @inline(__always)
    private func word(at offset: Int, mask: UInt64) -> Int64 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        return Int64(bitPattern: word & mask) &+ base
    }

    /// Copies base and width to another chunk.
    func copyBase(to other: UnsafeMutableRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: other[16..<CacheFormat.chunkHeaderSize])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[16..<CacheFormat.chunkHeaderSize]))
    }

    /// Copies rows unchanged to another chunk of the same base and width.
    func copy(_ rows: Range<Int>, to other: UnsafeMutableRawBufferPointer, at offset: inout Int) {
        let start = CacheFormat.chunkHeaderSize + rows.lowerBound * width
        let packed = UnsafeRawBufferPointer(rebasing: bytes[start..<start + rows.count * width])
        UnsafeMutableRawBufferPointer(rebasing: other[offset..<offset + packed.count]).copyMemory(
            from: packed)
        offset += packed.count
    }
}
