import Foundation

/// Files of other programs have trees of kinds that the caller's have not. They are no damage: what is damaged is replaced.
///
/// A tree passes for one of another kind if two things say so, because one byte may be damaged; and only for what no page of any of the caller's
/// trees has, because after a power cut a page may be that of another tree.
extension StructureValidator.Format {
    /// The flags that a tree of any program's may have: the order of its keys, and several values for one.
    static let treeFlags: UInt16 = 0x7E
}

extension StructureValidator {
    /// Whether a tree of values is another program's.
    func isForeign(_ record: Record) -> Bool {
        guard !keyForms.isEmpty, record.isOfOtherKind, let first = record.firstNode(descriptor) else {
            return false
        }
        return first.key.withUnsafeBytes { key in !keyForms.contains { $0.isFormOf(key) } }
    }

    /// Whether a node of a leaf is one that some tree of the caller's may have.
    func isOwn(_ node: Node, of page: UnsafeRawBufferPointer) -> Bool {
        let key = node.key(page)
        if node.flags == Format.databaseNode || keyForms.contains(where: { $0.isFormOf(key) }) { return true }
        guard let value = node.value(page) else {
            return Self.isTransaction(key) && node.dataSize % 8 == 0
        }
        if value.count == Format.recordSize {
            let record = Record(value, at: 0)
            if record.flags == 0, record.depth <= Format.maximumDepth { return true }
        }
        return Self.isTransaction(key) && Self.isFreeList(value)
    }

    /// Whether a key is that of a list of free pages.
    private static func isTransaction(_ key: UnsafeRawBufferPointer) -> Bool {
        key.count == 8 && 1..<1 << 48 ~= key.loadUnaligned(as: UInt64.self)
    }

    /// Whether a value is a list of free pages: how many, and their numbers, which fall.
    private static func isFreeList(_ value: UnsafeRawBufferPointer) -> Bool {
        guard value.count >= 8, value.count % 8 == 0 else { return false }
        let words = stride(from: 0, to: value.count, by: 8).map {
            value.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
        }
        guard let count = words.first, count < words.count else { return false }
        guard count > 0 else { return words.allSatisfy { $0 == 0 } }
        let pages = words[1...Int(count)]
        return zip(pages, pages.dropFirst()).allSatisfy { $0 > $1 } && pages.allSatisfy { $0 >= 2 }
    }
}

extension StructureValidator.Meta {
    /// Finds out whether the main tree is one of values.
    ///
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/foreign``.
    func checkKind(descriptor: Int32) throws(LMDBError) {
        guard magic == StructureValidator.Format.magic, main.isOfOtherKind,
            let first = main.firstNode(descriptor), first.flags != StructureValidator.Format.databaseNode
        else { return }
        throw .foreign("a main tree with flags \(main.flags)")
    }
}

extension StructureValidator.Record {
    /// Whether the flags are those of a tree of another kind.
    var isOfOtherKind: Bool { flags != 0 && flags & ~StructureValidator.Format.treeFlags == 0 }

    /// The key and the flags of the first node of a tree's first leaf, of which nothing was checked; nil if there is none to be found.
    fileprivate func firstNode(_ descriptor: Int32) -> (key: [UInt8], flags: UInt16)? {
        typealias Format = StructureValidator.Format
        let pageSize = StructureValidator.expectedPageSize
        return withUnsafeTemporaryAllocation(byteCount: pageSize, alignment: 8) { page in
            var number = root
            for _ in 0..<Format.maximumDepth {
                guard number >= 2, number < Format.maximumFileSize / UInt64(pageSize) else { return nil }
                do throws(LMDBError) {
                    page.initializeMemory(as: UInt8.self, repeating: 0)
                    try StructureValidator.read(descriptor, at: Int64(number) * Int64(pageSize), into: page)
                } catch {
                    return nil
                }
                let offset = Int(
                    page.loadUnaligned(fromByteOffset: Format.pageHeaderSize, as: UInt16.self))
                guard page.loadUnaligned(fromByteOffset: 0, as: UInt64.self) == number,
                    page.loadUnaligned(fromByteOffset: 12, as: UInt16.self) > Format.pageHeaderSize,
                    offset >= Format.pageHeaderSize, offset + Format.nodeHeaderSize <= pageSize
                else { return nil }
                let flags = page.loadUnaligned(fromByteOffset: offset + 4, as: UInt16.self)
                switch page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) {
                case Format.branchPage:
                    number =
                        UInt64(page.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                        | UInt64(flags) << 32
                case Format.leafPage:
                    let start = offset + Format.nodeHeaderSize
                    let size = Int(page.loadUnaligned(fromByteOffset: offset + 6, as: UInt16.self))
                    guard start + size <= pageSize else { return nil }
                    return (Array(page[start..<start + size]), flags)
                default: return nil
                }
            }
            return nil
        }
    }
}
