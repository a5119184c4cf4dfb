import Foundation

extension StructureValidator {
    /// Checks a run of overflow pages without their contents, and returns the number of pages.
    mutating func checkRun(from first: UInt64, byteCount: Int) throws(LMDBError) -> UInt64 {
        let needed = UInt64((Format.pageHeaderSize - 1 + byteCount) / pageSize + 1)
        guard first <= pagesInFile, needed <= pagesInFile &- first else {
            throw .damage("page \(first): \(needed) pages of a value beyond the end of the file")
        }
        // Reading uses only the pages that the node's size requires.
        var count = needed
        if extent == .writing {
            let header = try read(page: first, count: Format.pageHeaderSize, into: Format.maximumDepth)
            // A value that was replaced by a shorter value keeps its pages.
            count = UInt64(header.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            guard header.loadUnaligned(fromByteOffset: 0, as: UInt64.self) == first,
                header.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == Format.overflowPage,
                count >= needed
            else { throw .damage("page \(first): not the first overflow page of a value") }
        }
        try claim(first, count: count)
        return count
    }

    /// Checks a list of free pages: the numbers must descend, and none of the pages may be in use.
    ///
    /// - Parameters:
    ///   - transaction: The transaction that freed the pages, which is the key of the list.
    ///   - byteCount: The size of the list, in bytes.
    ///   - inline: The page and the offset of a list that is not on overflow pages.
    ///   - run: The first overflow page of the list, or nil.
    mutating func checkFreeList(
        of transaction: UInt64, byteCount: Int, inline: (page: UnsafeRawBufferPointer, offset: Int),
        run: UInt64?
    ) throws(LMDBError) {
        guard transaction >= 1, transaction <= meta.transaction, byteCount >= 8, byteCount % 8 == 0 else {
            throw .damage("the list of free pages of transaction \(transaction) has an invalid key or size")
        }
        var expected: Int?
        var previous = UInt64.max
        var position = 0
        while position < byteCount, position / 8 <= expected ?? 0 {
            // A list on overflow pages is read page by page; on the first page it begins after the header.
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
                    // The first word is the count. The list may have unused words at its end.
                    guard word <= UInt64(byteCount / 8 - 1) else {
                        throw .damage(
                            "the list of free pages of transaction \(transaction) has the invalid count \(word)"
                        )
                    }
                    expected = Int(word)
                    continue
                }
                guard word < previous else {
                    throw .damage("the list of free pages of transaction \(transaction) is not in order")
                }
                previous = word
                try claim(word, count: 1)
            }
        }
    }
}
