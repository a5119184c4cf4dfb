import Foundation

extension StructureValidator {
    /// Checks a run of overflow pages, and returns how many it has. Its contents are nobody's business here.
    mutating func checkRun(from first: UInt64, byteCount: Int) throws(LMDBError) -> UInt64 {
        let needed = UInt64((Format.pageHeaderSize - 1 + byteCount) / pageSize + 1)
        guard first <= pagesInFile, needed <= pagesInFile &- first else {
            throw .damage("page \(first): \(needed) pages of a value beyond the end of the file")
        }
        // Reading uses no more than the node says.
        var count = needed
        if extent == .writing {
            let header = try read(page: first, count: Format.pageHeaderSize, into: Format.maximumDepth)
            // A value that was replaced by a shorter one keeps its pages.
            count = UInt64(header.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            guard header.loadUnaligned(fromByteOffset: 0, as: UInt64.self) == first,
                header.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == Format.overflowPage,
                count >= needed
            else { throw .damage("page \(first): another page than a value's") }
        }
        try claim(first, count: count)
        return count
    }

    /// Checks a list of free pages: numbers that fall, none of them in use.
    ///
    /// - Parameters:
    ///   - transaction: The transaction that freed them, which is the list's key.
    ///   - byteCount: The bytes of the list.
    ///   - inline: Where the list is if it has no pages of its own.
    ///   - run: The first of its pages if it has.
    mutating func checkFreeList(
        of transaction: UInt64, byteCount: Int, inline: (page: UnsafeRawBufferPointer, offset: Int),
        run: UInt64?
    ) throws(LMDBError) {
        guard transaction >= 1, transaction <= meta.transaction, byteCount >= 8, byteCount % 8 == 0 else {
            throw .damage("the free pages of transaction \(transaction)")
        }
        var expected: Int?
        var previous = UInt64.max
        var position = 0
        while position < byteCount, position / 8 <= expected ?? 0 {
            // A list of its own is read page by page; its first page begins behind the header.
            let count = run == nil ? byteCount : min(pageSize, byteCount - position)
            let bytes =
                if let run {
                    try read(
                        page: run, offset: Format.pageHeaderSize + position, count: count,
                        into: Format.maximumDepth)
                } else {
                    UnsafeRawBufferPointer(rebasing: inline.page[inline.offset..<inline.offset + byteCount])
                }
            for offset in stride(from: 0, to: count, by: 8) where position / 8 <= expected ?? 0 {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                position += 8
                guard expected != nil else {
                    // The first word is the count. A list may be longer than it needs.
                    guard word <= UInt64(byteCount / 8 - 1) else {
                        throw .damage("the free pages of transaction \(transaction): \(word) of them")
                    }
                    expected = Int(word)
                    continue
                }
                guard word < previous else {
                    throw .damage("the free pages of transaction \(transaction): their order")
                }
                previous = word
                try claim(word, count: 1)
            }
        }
    }
}
