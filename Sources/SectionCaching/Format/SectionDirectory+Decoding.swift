import Mutants

extension SectionDirectory {
    /// The reason why bytes are not a directory.
    enum DecodingFailure: Error, Hashable {
        case format(found: UInt32)
        case damaged(String)

        /// The reason for the miss of a look-up.
        var missReason: MissReason {
            switch self {
            case .format(let found): .formatMismatch(found: found)
            case .damaged(let detail): .corrupt(detail: detail)
            }
        }
    }

    /// Decodes a directory, and checks all values that are used later: every length, offset, row number and
    /// chunk number. Texts are not decoded.
    ///
    /// - Complexity: O(*s* + *c*) integers in the number of sections and chunks; O(*c* log *c*) if the
    ///   numbers of the chunks are not in order.
    init(decoding bytes: [UInt8]) throws(DecodingFailure) {
        var reader = ByteReader(bytes)
        guard let magic = reader.read(count: 8), let version = reader.read(UInt32.self),
            let mark = reader.read(UInt32.self)
        else { throw .damaged("the directory has \(bytes.count) bytes") }
        guard magic.elementsEqual(CacheFormat.magic), mark == CacheFormat.byteOrderMark else {
            throw .damaged("the directory has no valid header")
        }
        guard version == CacheFormat.version else { throw .format(found: version) }
        guard bytes.count >= CacheFormat.headerSize else {
            throw .damaged("the directory has \(bytes.count) bytes")
        }
        layout = try Self.layout(of: bytes)
        self.bytes = bytes
        try checkSections()
        try checkChunks()
    }

    private static func layout(of bytes: [UInt8]) throws(DecodingFailure) -> Layout {
        var reader = ByteReader(bytes, at: 16)
        var layout = Layout()
        layout.sequence = reader.read(UInt64.self) ?? 0
        reader = ByteReader(bytes, at: 104)
        let rows = reader.read(UInt64.self) ?? .max
        let counts = (0..<8).map { _ in Int(reader.read(UInt32.self) ?? .max) }
        // An entry may not hold 2³⁰ rows; these limits also keep all products below within range.
        guard rows <= 1 << 30, counts[0] <= 1 << 30, counts[1] <= 1 << 26, counts[2] > 0, counts[3] <= 1 << 26
        else {
            throw .damaged("the counts in the directory's header are out of range")
        }
        layout.numberOfRows = Int(rows)
        layout.numberOfSections = counts[0]
        layout.numberOfChunks = counts[1]
        layout.rowsPerChunk = counts[2]
        var end = CacheFormat.headerSize
        func next(_ count: Int) -> Range<Int> {
            defer { end += count }
            return end..<end + count
        }
        layout.canonical = next(counts[4])
        layout.summary = next(counts[5])
        layout.token = next(counts[6])
        end = (end + 7) / 8 * 8
        layout.sections = next(layout.numberOfSections * CacheFormat.sectionSize)
        layout.chunks = next(layout.numberOfChunks * CacheFormat.chunkRecordSize)
        layout.retired = next(counts[3] * CacheFormat.retiredNumberSize)
        layout.heap = next(counts[7])
        guard end == bytes.count else {
            throw .damaged("the directory's parts need \(end) bytes, it has \(bytes.count)")
        }
        return layout
    }

    private func checkSections() throws(DecodingFailure) {
        var previous: UInt64 = 0
        var reader = ByteReader(bytes, at: layout.sections.lowerBound)
        for position in 0..<numberOfSections {
            guard let first = reader.read(UInt64.self), first >= previous, first <= UInt64(numberOfRows),
                position > 0 || first == 0
            else { throw .damaged("the row range of section \(position) is invalid") }
            previous = first
            for _ in 0..<3 {
                guard let offset = reader.read(UInt32.self), let count = reader.read(UInt32.self),
                    Int(offset) + Int(count) <= layout.heap.count || Mutant.noOffsetCheck.isPlanted
                else { throw .damaged("a text range of section \(position) is invalid") }
            }
        }
        guard numberOfSections > 0 || numberOfRows == 0 else {
            throw .damaged("the directory has rows but no section")
        }
    }

    private func checkChunks() throws(DecodingFailure) {
        var numbers: [UInt32] = []
        numbers.reserveCapacity(numberOfChunks + numberOfRetiredChunks)
        var nextRow = 0
        let damaged: Int? = bytes.withUnsafeBytes { bytes in
            for position in 0..<numberOfChunks {
                let offset = layout.chunks.lowerBound + position * CacheFormat.chunkRecordSize
                let firstRow = UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                guard firstRow == UInt64(nextRow), let chunk = ChunkRecord(bytes, at: offset) else {
                    return position
                }
                nextRow += chunk.rowCount
                numbers.append(chunk.number)
            }
            return nil
        }
        if let damaged { throw .damaged("the record of chunk \(damaged) is invalid") }
        guard nextRow == numberOfRows else {
            throw .damaged("the chunks have \(nextRow) rows, not \(numberOfRows)")
        }
        for position in 0..<numberOfRetiredChunks { numbers.append(retiredNumber(at: position)) }
        // The numbers of an entry that was never advanced are in order; sorting is for the others.
        func isAscending() -> Bool { zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 } }
        if isAscending() { return }
        numbers.sort()
        guard isAscending() else { throw .damaged("two chunks have the same number") }
    }
}
