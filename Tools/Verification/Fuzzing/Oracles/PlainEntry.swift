import SectionCaching

/// A directory and a chunk of a cache entry, read byte by byte as the article “Cache Format” describes
/// them.
struct PlainEntry {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns an integer in little-endian order. Bytes after the end count as zero.
    static func integer(_ bytes: [UInt8], at offset: Int, size: Int) -> UInt64 {
        (0..<size).reversed().reduce(0) { value, index in
            value << 8 | (bytes.indices.contains(offset + index) ? UInt64(bytes[offset + index]) : 0)
        }
    }

    /// Returns the rows of a chunk: a base, a width in bytes, and for each row its distance from the base in
    /// that width.
    static func rows(ofChunk chunk: [UInt8], count: Int) -> [Int64] {
        let base = Int64(bitPattern: integer(chunk, at: 16, size: 8))
        let width = Int(integer(chunk, at: 24, size: 1))
        return (0..<count).map { row in
            Int64(bitPattern: integer(chunk, at: 32 + row * width, size: width)) &+ base
        }
    }

    private func integer(_ offset: Int, _ size: Int) -> Int {
        Int(Self.integer(bytes, at: offset, size: size))
    }

    /// Compares the result of the library's reader with the bytes.
    func check(_ reading: DirectoryReading) throws {
        let numberOfRows = integer(104, 8)
        let numberOfSections = integer(112, 4)
        let numberOfChunks = integer(116, 4)
        let numberOfRetired = integer(124, 4)
        guard reading.numberOfRows == numberOfRows, reading.sections.count == numberOfSections,
            reading.chunks.count == numberOfChunks
        else { throw FuzzFinding("the counts are read wrongly") }
        let texts = 144 + integer(128, 4) + integer(132, 4) + integer(136, 4)
        let sections = (texts + 7) / 8 * 8
        let chunks = sections + 32 * numberOfSections
        let heap = chunks + 72 * numberOfChunks + 4 * numberOfRetired
        guard heap + integer(140, 4) == bytes.count else {
            throw FuzzFinding("the parts do not fill the directory")
        }
        for (position, section) in reading.sections.enumerated() {
            let record = sections + 32 * position
            let end = position + 1 < numberOfSections ? integer(record + 32, 8) : numberOfRows
            guard section.rows == integer(record, 8)..<end,
                section.identity == (try text(at: record + 8, heap: heap)),
                section.name == String(decoding: try text(at: record + 16, heap: heap), as: UTF8.self),
                section.indexTitle == String(decoding: try text(at: record + 24, heap: heap), as: UTF8.self)
            else { throw FuzzFinding("section \(position) is read wrongly") }
        }
        guard reading.sections.first?.rows.lowerBound ?? 0 == 0 else {
            throw FuzzFinding("the first section does not begin with the first row")
        }
        var next = 0
        for (position, chunk) in reading.chunks.enumerated() {
            let record = chunks + 72 * position
            guard chunk.firstRow == next, chunk.rowCount == integer(record + 8, 4), chunk.rowCount > 0,
                chunk.byteCount == integer(record + 12, 4)
            else { throw FuzzFinding("chunk \(position) is read wrongly") }
            next += chunk.rowCount
        }
        guard next == numberOfRows else { throw FuzzFinding("the chunks hold another number of rows") }
    }

    private func text(at offset: Int, heap: Int) throws -> [UInt8] {
        let start = heap + integer(offset, 4)
        let end = start + integer(offset + 4, 4)
        guard end <= bytes.count else { throw FuzzFinding("a text outside the directory is accepted") }
        return Array(bytes[start..<end])
    }
}
