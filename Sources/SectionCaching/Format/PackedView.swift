/// Packed rows in memory that somebody lends: of ``PackedRows``, or of a cache's map.
struct PackedView {
    private let bytes: UnsafeRawBufferPointer
    /// The number of rows.
    let count: Int
    /// What distances are counted from, upwards and modulo 2⁶⁴. In a chunk that was made whole no row is
    /// below it.
    let base: Int64
    /// The bytes of each distance, 0 to 8.
    let width: Int

    /// - Parameter bytes: A chunk, as ``isChunk(_:count:)`` says.
    init(_ bytes: UnsafeRawBufferPointer, count: Int) {
        self.bytes = bytes
        self.count = count
        base = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self))
        width = Int(bytes[24])
    }

    /// Whether bytes can be a chunk of so many rows.
    static func isChunk(_ chunk: RawSpan, count: Int) -> Bool {
        guard chunk.byteCount >= CacheFormat.chunkHeaderSize else { return false }
        let width = Int(chunk.unsafeLoad(fromByteOffset: 24, as: UInt8.self))
        return width <= 8 && chunk.byteCount == CacheFormat.chunkHeaderSize + count * width
    }

    /// The largest distance in so many bytes.
    static func mask(_ width: Int) -> UInt64 { width == 8 ? .max : (1 << (8 * UInt64(width))) - 1 }

    /// The ID of one row.
    subscript(position: Int) -> Int64 {
        let offset = CacheFormat.chunkHeaderSize + position * width
        if offset + 8 <= bytes.count {
            return word(at: offset, mask: Self.mask(width))
        }
        // The last rows of a narrow chunk have fewer bytes behind them.
        let distance = bytes[offset..<offset + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return Int64(bitPattern: distance) &+ base
    }

    /// The IDs of some rows.
    func rowIDs(in rows: Range<Int>) -> [Int64] {
        [Int64](unsafeUninitializedCapacity: rows.count) { buffer, count in
            unpack(rows, to: buffer)
            count = rows.count
        }
    }

    /// Lends the unpacked rows to a closure piece by piece, until it says that it has seen enough.
    ///
    /// A piece is so small that it stays in the processor's nearest cache, where whole chunks would be memory
    /// to be had anew each time.
    ///
    /// - Parameter body: Gets rows and the position of the first, and tells whether to go on.
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

    /// Calls a closure with each row whose ID's lowest sixteen bits are among some.
    ///
    /// These bits are the first two bytes of a packed row, so nothing is unpacked: less than a nanosecond a
    /// row.
    ///
    /// - Parameters:
    ///   - bits: One bit for each value of the sixteen.
    ///   - body: Gets the position of a row and its ID.
    func forEach(withLowBitsAmong bits: UnsafeBufferPointer<UInt64>, _ body: (Int, Int64) -> Void) {
        guard let words = bits.baseAddress, let start = bytes.baseAddress else { return }
        guard width >= 2 else {
            // The last of them have nothing behind them.
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

    /// 4 KiB of IDs.
    private static let rowsPerPiece = 512

    private func unpack(_ rows: Range<Int>, to buffer: UnsafeMutableBufferPointer<Int64>) {
        let mask = Self.mask(width)
        var offset = CacheFormat.chunkHeaderSize + rows.lowerBound * width
        var next = 0
        // Eight bytes at once while there are so many.
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

    /// Copies rows as they are to another chunk of the same base and width.
    func copy(_ rows: Range<Int>, to other: UnsafeMutableRawBufferPointer, at offset: inout Int) {
        let start = CacheFormat.chunkHeaderSize + rows.lowerBound * width
        let packed = UnsafeRawBufferPointer(rebasing: bytes[start..<start + rows.count * width])
        UnsafeMutableRawBufferPointer(rebasing: other[offset..<offset + packed.count]).copyMemory(
            from: packed)
        offset += packed.count
    }
}
