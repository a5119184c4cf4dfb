import Foundation

extension StructureValidator {
    /// The kind of a tree.
    enum Kind {
        /// The records of the named databases.
        case main
        /// Keys and values.
        case named
        /// Lists of free pages by the transaction that freed them.
        case free
    }

    /// The counts of a tree, which are compared with its record.
    private struct Tally {
        let kind: Kind
        let depth: Int
        var branchPages: UInt64 = 0
        var leafPages: UInt64 = 0
        var overflowPages: UInt64 = 0
        var entries: UInt64 = 0
        var named: [Record] = []
        /// The nodes that the caller's trees may or may not have.
        var origin = NodeOrigin()
    }

    /// The bounds of a page's keys: not less than `low`, and less than `high`.
    private struct Bounds {
        var low: UnsafeRawBufferPointer?
        var high: UnsafeRawBufferPointer?
    }

    /// A node of a page, at an offset that was checked.
    struct Node {
        let offset: Int
        let keySize: Int
        let dataSize: Int
        let flags: UInt16
        let child: UInt64

        var dataOffset: Int { offset + Format.nodeHeaderSize + keySize }

        init(_ page: UnsafeRawBufferPointer, at offset: Int) {
            self.offset = offset
            let low = page.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
            let high = page.loadUnaligned(fromByteOffset: offset + 2, as: UInt16.self)
            flags = page.loadUnaligned(fromByteOffset: offset + 4, as: UInt16.self)
            keySize = Int(page.loadUnaligned(fromByteOffset: offset + 6, as: UInt16.self))
            dataSize = Int(low) | Int(high) << 16
            child = UInt64(low) | UInt64(high) << 16 | UInt64(flags) << 32
        }

        func key(_ page: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: page[offset + Format.nodeHeaderSize..<dataOffset])
        }

        /// Returns the value, or nil if it is on overflow pages.
        func value(_ page: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
            guard flags & Format.overflowNode == 0 else { return nil }
            return UnsafeRawBufferPointer(rebasing: page[dataOffset..<dataOffset + dataSize])
        }
    }

    /// Checks a tree, and returns the records of the named databases if it is the main tree.
    mutating func checkTree(_ record: Record, kind: Kind) throws(LMDBError) -> [Record] {
        guard record.flags == (kind == .free ? Format.freeTreeFlags : 0) else {
            if kind == .named, record.isForeign(descriptor, keyPatterns: keyPatterns) {
                throw .foreign("a tree with flags \(record.flags)")
            }
            throw .damage("a tree with flags \(record.flags)")
        }
        guard record.depth <= Format.maximumDepth else { throw .damage("a tree of \(record.depth) levels") }
        var tally = Tally(kind: kind, depth: Int(record.depth))
        if record.depth == 0 {
            guard record.root == .max else { throw .damage("an empty tree with root \(record.root)") }
        } else {
            try checkPage(record.root, level: 1, within: Bounds(), &tally)
        }
        guard tally.branchPages == record.branchPages, tally.leafPages == record.leafPages,
            tally.entries == record.entries,
            extent == .reading
                ? tally.overflowPages <= record.overflowPages : tally.overflowPages == record.overflowPages
        else {
            throw .damage("the tree of page \(record.root): its pages or entries do not match its record")
        }
        if kind == .named, !keyPatterns.isEmpty, tally.origin.isForeign {
            throw .foreign("a tree with other keys")
        }
        return tally.named
    }

    private mutating func checkPage(
        _ number: UInt64, level: Int, within bounds: Bounds, _ tally: inout Tally
    ) throws(LMDBError) {
        try claim(number, count: 1)
        let page = try read(page: number, count: pageSize, into: level - 1)
        let isLeaf = level == tally.depth
        let flags = page.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
        let lower = Int(page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        let upper = Int(page.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
        guard page.loadUnaligned(fromByteOffset: 0, as: UInt64.self) == number,
            flags == (isLeaf ? Format.leafPage : Format.branchPage)
        else { throw .damage("page \(number): its number or type is wrong") }
        guard lower >= Format.pageHeaderSize, lower <= upper, upper <= pageSize, (lower | upper) & 1 == 0
        else {
            throw .damage("page \(number): its free space has the invalid bounds \(lower) and \(upper)")
        }
        let count = (lower - Format.pageHeaderSize) / 2
        // liblmdb ends the process for a branch with one child, but creates such branches itself in the
        // tree of free pages.
        guard count >= (isLeaf || tally.kind == .free ? 1 : 2) else {
            throw .damage("page \(number): it has only \(count) nodes")
        }
        try checkRanges(of: count, upper: upper, isLeaf: isLeaf, page, number)
        if isLeaf {
            tally.leafPages &+= 1
            tally.entries &+= UInt64(count)
            try checkLeaf(page, count: count, number, within: bounds, &tally)
        } else {
            tally.branchPages &+= 1
            try checkBranch(page, count: count, number, level: level, within: bounds, &tally)
        }
    }

    /// Checks that the nodes are adjacent and fill the page from `upper` to its end.
    ///
    /// This is the case exactly if no two nodes begin or end at the same offset, and each end is the end of
    /// the page or the beginning of another node.
    private mutating func checkRanges(
        of count: Int, upper: Int, isLeaf: Bool, _ page: UnsafeRawBufferPointer, _ number: UInt64
    ) throws(LMDBError) {
        for index in starts.indices {
            starts[index] = 0
            ends[index] = 0
        }
        Self.mark(upper, in: &ends)
        Self.mark(pageSize, in: &starts)
        let largest = (pageSize - Format.pageHeaderSize) / 2 & ~1 - 2
        for index in 0..<count {
            let offset = Int(
                page.loadUnaligned(fromByteOffset: Format.pageHeaderSize + 2 * index, as: UInt16.self))
            guard offset >= upper, offset & 1 == 0, offset <= pageSize - Format.nodeHeaderSize else {
                throw .damage("page \(number): node \(index) is at the invalid offset \(offset)")
            }
            let node = Node(page, at: offset)
            var size = Format.nodeHeaderSize + node.keySize
            if isLeaf { size += node.flags & Format.overflowNode != 0 ? 8 : node.dataSize }
            // The first child of a branch contains all keys less than the second child's key, and its own key
            // is not used.
            guard node.keySize <= Format.maximumKeySize, node.keySize > 0 || (!isLeaf && index == 0),
                size <= largest, size <= pageSize - offset, !isLeaf || node.flags <= Format.databaseNode
            else { throw .damage("page \(number): the sizes of node \(index) are invalid") }
            guard Self.mark(offset, in: &starts), Self.mark(offset + (size + 1) & ~1, in: &ends) else {
                throw .damage("page \(number): node \(index) overlaps another")
            }
        }
        guard starts == ends else { throw .damage("page \(number): its nodes do not fill it") }
    }

    /// Sets the bit of an offset, and returns whether it was not set before.
    @discardableResult
    private static func mark(_ offset: Int, in bits: inout [UInt64]) -> Bool {
        let bit: UInt64 = 1 << UInt64(offset >> 1 & 63)
        guard bits[offset >> 7] & bit == 0 else { return false }
        bits[offset >> 7] |= bit
        return true
    }

    private func node(_ index: Int, of page: UnsafeRawBufferPointer) -> Node {
        Node(
            page,
            at: Int(page.loadUnaligned(fromByteOffset: Format.pageHeaderSize + 2 * index, as: UInt16.self)))
    }

    private mutating func checkBranch(
        _ page: UnsafeRawBufferPointer, count: Int, _ number: UInt64, level: Int, within bounds: Bounds,
        _ tally: inout Tally
    ) throws(LMDBError) {
        var low = bounds.low
        for index in 0..<count {
            var high = bounds.high
            if index + 1 < count {
                let next = node(index + 1, of: page).key(page)
                if tally.kind == .free, next.count != 8 { throw .damage("page \(number): key \(index + 1)") }
                high = next
            }
            if let low, let high, !Self.precedes(low, high, tally.kind) {
                throw .damage("page \(number): its keys are not in order")
            }
            try checkPage(
                node(index, of: page).child, level: level + 1, within: Bounds(low: low, high: high), &tally)
            low = high
        }
    }

    private mutating func checkLeaf(
        _ page: UnsafeRawBufferPointer, count: Int, _ number: UInt64, within bounds: Bounds,
        _ tally: inout Tally
    ) throws(LMDBError) {
        var previous: UnsafeRawBufferPointer?
        for index in 0..<count {
            let node = node(index, of: page)
            let key = node.key(page)
            if tally.kind == .free, key.count != 8 { throw .damage("page \(number): key \(index)") }
            let isAfter =
                previous.map { Self.precedes($0, key, tally.kind) }
                ?? bounds.low.map { !Self.precedes(key, $0, tally.kind) } ?? true
            guard isAfter, bounds.high.map({ Self.precedes(key, $0, tally.kind) }) ?? true else {
                throw .damage("page \(number): its keys are not in order")
            }
            previous = key
            if tally.kind == .named {
                tally.origin.add(isOwn: node.isOwn(page, keyPatterns), node.hasOwnKeySize(keyPatterns))
            }
            if tally.kind == .main, node.flags != Format.databaseNode, !keyPatterns.isEmpty,
                (0..<count).contains(where: { index in
                    let node = self.node(index, of: page)
                    return !node.isOwn(page, keyPatterns) && !node.isDamagedRecord(page)
                })
            {
                throw .foreign("page \(number): a value in the main tree")
            }
            try checkValue(of: node, page, number, &tally)
        }
    }

    private mutating func checkValue(
        of node: Node, _ page: UnsafeRawBufferPointer, _ number: UInt64, _ tally: inout Tally
    ) throws(LMDBError) {
        if (tally.kind == .main) != (node.flags == Format.databaseNode) {
            throw .damage("page \(number): a value does not belong in its tree")
        }
        if tally.kind == .main {
            guard node.dataSize == Format.recordSize else {
                throw .damage("page \(number): a record has an invalid size")
            }
            tally.named.append(Record(page, at: node.dataOffset))
        }
        var first: UInt64?
        if node.flags == Format.overflowNode {
            let run = page.loadUnaligned(fromByteOffset: node.dataOffset, as: UInt64.self)
            tally.overflowPages &+= try checkRun(from: run, byteCount: node.dataSize)
            first = run
        }
        if tally.kind == .free {
            let key = page.loadUnaligned(fromByteOffset: node.offset + Format.nodeHeaderSize, as: UInt64.self)
            try checkFreeList(of: key, byteCount: node.dataSize, inline: (page, node.dataOffset), run: first)
        }
    }

    /// Returns whether a key precedes another: in byte order, or as 64-bit integers in the tree of free
    /// pages.
    private static func precedes(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ kind: Kind
    ) -> Bool {
        if kind == .free {
            return first.loadUnaligned(as: UInt64.self) < second.loadUnaligned(as: UInt64.self)
        }
        guard let start = first.baseAddress, let other = second.baseAddress else {
            return first.count < second.count
        }
        let order = memcmp(start, other, min(first.count, second.count))
        return order == 0 ? first.count < second.count : order < 0
    }
}
