import Foundation

/// The detection of files of other programs, whose trees have kinds that the caller's trees do not have.
/// Such a file must not be treated as damaged, because damaged files are replaced.
///
/// A tree is foreign only if two independent properties indicate it, because one byte may be damaged. The
/// properties must not occur in any page of the caller's trees, because after a power cut a page may belong
/// to another tree. Only long lists of free pages cannot be distinguished from values of other programs.
extension StructureValidator.Format {
    /// The flags that a tree of any program may have: the order of its keys, and several values for one key.
    static let treeFlags: UInt16 = 0x7E
    /// The flag of a tree with several values for one key.
    static let duplicatesFlag: UInt16 = 0x04
}

extension StructureValidator.Node {
    private typealias Format = StructureValidator.Format

    /// Returns whether a node of a leaf may belong to one of the caller's trees.
    func isOwn(_ page: UnsafeRawBufferPointer, _ keyPatterns: [KeyPattern]) -> Bool {
        if hasOwnForm(page, keyPatterns) { return true }
        let key = key(page)
        guard let value = value(page) else { return Self.isTransaction(key) && dataSize % 8 == 0 }
        if value.count == Format.recordSize {
            if StructureValidator.Record(value, at: 0).isPlausible { return true }
        }
        return Self.isTransaction(key) && Self.isFreeList(value)
    }

    /// Returns whether the key has the size of one of the caller's keys.
    func hasOwnKeySize(_ keyPatterns: [KeyPattern]) -> Bool {
        keyPatterns.contains { $0.byteCount == keySize }
    }

    /// Returns whether a value may be a record of a tree in which one number was changed. With the flags of
    /// its node, two properties of it are damaged.
    func isDamagedRecord(_ page: UnsafeRawBufferPointer) -> Bool {
        guard let value = value(page), value.count == Format.recordSize else { return false }
        return StructureValidator.Record(value, at: 0).isNearlyPlausible
    }

    /// Returns whether a node is a record of a database, or has a key that matches the caller's patterns.
    func hasOwnForm(_ page: UnsafeRawBufferPointer, _ keyPatterns: [KeyPattern]) -> Bool {
        let key = key(page)
        return flags == Format.databaseNode || keyPatterns.contains { $0.isFormOf(key) }
    }

    /// Returns whether a key is the key of a list of free pages.
    private static func isTransaction(_ key: UnsafeRawBufferPointer) -> Bool {
        key.count == 8 && 1..<1 << 48 ~= key.loadUnaligned(as: UInt64.self)
    }

    /// Returns whether a value is a list of free pages: their count, and their numbers in descending order.
    private static func isFreeList(_ value: UnsafeRawBufferPointer) -> Bool {
        guard value.count >= 8, value.count % 8 == 0 else { return false }
        let words = stride(from: 0, to: value.count, by: 8).map {
            value.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
        }
        // liblmdb may leave an empty list, but a zero is more often a counter of another program.
        guard let count = words.first, count > 0, count < words.count else { return false }
        let pages = words[1...Int(count)]
        return zip(pages, pages.dropFirst()).allSatisfy { $0 > $1 } && pages.allSatisfy { $0 >= 2 }
    }
}

extension StructureValidator.Record {
    private typealias Format = StructureValidator.Format

    /// Whether the numbers are consistent, as in a record of one of the caller's trees.
    fileprivate var isPlausible: Bool {
        guard depth > 0 else { return flags == 0 && root == .max && entries == 0 && leafPages == 0 }
        return numberOfFaults == 0
    }

    /// Whether at most one of the numbers differs from those in a record of a tree with entries.
    fileprivate var isNearlyPlausible: Bool { root > 0 && numberOfFaults <= 1 }

    /// The number of conditions for a record of one of the caller's trees, with entries, that do not hold.
    private var numberOfFaults: Int {
        func fault(unless condition: Bool) -> Int { condition ? 0 : 1 }
        return fault(unless: flags == 0) + fault(unless: depth >= 1 && depth <= Format.maximumDepth)
            + fault(unless: leafPages >= 1) + fault(unless: entries >= leafPages)
            + fault(unless: 2..<Format.maximumFileSize ~= root)
    }

    /// Returns whether a tree belongs to another program.
    ///
    /// A foreign tree has flags that the caller's trees do not have, and its first leaf is intact and
    /// consists mostly of nodes that none of the caller's trees has. A damaged record may lead to the leaf of
    /// another tree.
    func isForeign(_ descriptor: Int32, keyPatterns: [KeyPattern]) -> Bool {
        guard !keyPatterns.isEmpty, flags != 0, flags & ~Format.treeFlags == 0 else { return false }
        return withUnsafeTemporaryAllocation(byteCount: StructureValidator.expectedPageSize, alignment: 8) {
            buffer in
            guard readFirstLeaf(descriptor, into: buffer) else { return false }
            let leaf = UnsafeRawBufferPointer(buffer)
            guard let nodes = StructureValidator.nodes(of: leaf), StructureValidator.fill(leaf, nodes),
                depth > 1 || entries == nodes.count || flags & Format.duplicatesFlag != 0
            else { return false }
            // Values on overflow pages are not read, and a large one with an integer key could be a list of
            // free pages. So only its key and flags count.
            var origin = StructureValidator.NodeOrigin()
            for node in nodes {
                let isOwn =
                    node.flags & Format.overflowNode == 0
                    ? node.isOwn(leaf, keyPatterns) : node.hasOwnForm(leaf, keyPatterns)
                origin.add(isOwn: isOwn, node.hasOwnKeySize(keyPatterns))
            }
            return origin.isForeign
        }
    }

    /// Reads the first leaf of a tree, whose pages were not checked before, and returns whether it was found.
    private func readFirstLeaf(_ descriptor: Int32, into page: UnsafeMutableRawBufferPointer) -> Bool {
        var number = root
        for _ in 0..<Format.maximumDepth {
            guard number >= 2, number < Format.maximumFileSize / UInt64(page.count) else { return false }
            do throws(LMDBError) {
                page.initializeMemory(as: UInt8.self, repeating: 0)
                try StructureValidator.read(descriptor, at: Int64(number) * Int64(page.count), into: page)
            } catch {
                return false
            }
            guard page.loadUnaligned(fromByteOffset: 0, as: UInt64.self) == number else { return false }
            switch page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) {
            case Format.branchPage:
                guard let first = StructureValidator.nodes(of: UnsafeRawBufferPointer(page))?.first else {
                    return false
                }
                number = first.child
            case Format.leafPage: return true
            default: return false
            }
        }
        return false
    }
}

extension StructureValidator {
    /// Returns the nodes of an unchecked page, or nil if the page has none, or if not all begin in the page.
    fileprivate static func nodes(of page: UnsafeRawBufferPointer) -> [Node]? {
        let lower = Int(page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        guard lower > Format.pageHeaderSize, lower <= page.count, lower & 1 == 0 else { return nil }
        let offsets = stride(from: Format.pageHeaderSize, to: lower, by: 2).map {
            Int(page.loadUnaligned(fromByteOffset: $0, as: UInt16.self))
        }
        guard offsets.allSatisfy({ $0 >= lower && $0 <= page.count - Format.nodeHeaderSize }) else {
            return nil
        }
        return offsets.map { Node(page, at: $0) }
    }

    /// Returns whether the nodes of a leaf end in it and their total length matches the used space.
    fileprivate static func fill(_ page: UnsafeRawBufferPointer, _ nodes: [Node]) -> Bool {
        var length = 0
        for node in nodes {
            let size = node.flags & Format.overflowNode == 0 ? node.dataSize : 8
            guard node.dataOffset + size <= page.count else { return false }
            length += (node.dataOffset + size - node.offset + 1) & ~1
        }
        return length == page.count - Int(page.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
    }
}
