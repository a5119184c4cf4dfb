import CLMDB
import Foundation
import Mutants

extension StructureValidator {
    /// The constants of the format.
    enum Format {
        static let magic: UInt32 = 0xBEEF_C0DE
        static let version: UInt32 = 1
        static let branchPage: UInt16 = 0x01
        static let leafPage: UInt16 = 0x02
        static let overflowPage: UInt16 = 0x04
        static let metaPage: UInt16 = 0x08
        /// The flag of a node whose data is the number of an overflow page.
        static let overflowNode: UInt16 = 0x01
        /// The flag of a node whose data is the record of a named database.
        static let databaseNode: UInt16 = 0x02
        static let pageHeaderSize = 16
        static let nodeHeaderSize = 8
        static let recordSize = 48
        /// The number of bytes that a meta page uses.
        static let metaSize = 152
        static let maximumKeySize = 511
        /// The largest depth of a tree, more than trees in any map have. liblmdb itself allows 32.
        static let maximumDepth = 16
        /// The flags of the tree of free pages: keys are integers.
        static let freeTreeFlags: UInt16 = 0x08
        /// The size of the largest file that is checked, because the check needs memory in proportion.
        static let maximumFileSize: UInt64 = 1 << 38
        /// The largest transaction number, which no real file reaches. liblmdb increments the number
        /// without a check, and uses the largest integer as the mark of an empty reader slot.
        static let maximumTransaction: UInt64 = 1 << 62
    }

    /// The record of a tree (`MDB_db`).
    struct Record: Equatable {
        let flags: UInt16
        let depth: UInt16
        let branchPages: UInt64
        let leafPages: UInt64
        let overflowPages: UInt64
        let entries: UInt64
        let root: UInt64

        /// Reads the record of 48 bytes at an offset, which must be in range.
        init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
            flags = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt16.self)
            depth = bytes.loadUnaligned(fromByteOffset: offset + 6, as: UInt16.self)
            branchPages = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
            leafPages = bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self)
            overflowPages = bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self)
            entries = bytes.loadUnaligned(fromByteOffset: offset + 32, as: UInt64.self)
            root = bytes.loadUnaligned(fromByteOffset: offset + 40, as: UInt64.self)
        }
    }

    /// A meta page (`MDB_meta`).
    struct Meta: Equatable {
        let pageNumber: UInt64
        let pageFlags: UInt16
        let magic: UInt32
        let version: UInt32
        let address: UInt64
        let mapSize: UInt64
        let pageSize: UInt32
        let free: Record
        let main: Record
        let lastPage: UInt64
        let transaction: UInt64

        /// Reads one of the two meta pages.
        init(slot: UInt64, descriptor: Int32) throws(LMDBError) {
            var failure: LMDBError?
            let meta = withUnsafeTemporaryAllocation(byteCount: Format.metaSize, alignment: 8) {
                bytes -> Meta in
                bytes.initializeMemory(as: UInt8.self, repeating: 0)
                do throws(LMDBError) {
                    try StructureValidator.read(
                        descriptor, at: Int64(slot) * Int64(StructureValidator.expectedPageSize), into: bytes)
                } catch {
                    failure = error
                }
                return Meta(UnsafeRawBufferPointer(bytes))
            }
            if let failure { throw failure }
            self = meta
        }

        private init(_ bytes: UnsafeRawBufferPointer) {
            pageNumber = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
            pageFlags = bytes.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
            magic = bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
            version = bytes.loadUnaligned(fromByteOffset: 20, as: UInt32.self)
            address = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
            mapSize = bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
            // liblmdb stores the page size in the padding field of the free tree's record.
            pageSize = bytes.loadUnaligned(fromByteOffset: 40, as: UInt32.self)
            free = Record(bytes, at: 40)
            main = Record(bytes, at: 88)
            lastPage = bytes.loadUnaligned(fromByteOffset: 136, as: UInt64.self)
            transaction = bytes.loadUnaligned(fromByteOffset: 144, as: UInt64.self)
        }

        /// Checks a meta page independently of the other.
        ///
        /// - Parameters:
        ///   - slot: 0 or 1.
        ///   - mapSize: The size of the map that this process requests, in bytes.
        ///   - fileSize: The size of the file, in bytes.
        func check(slot: UInt64, mapSize: Int, fileSize: UInt64) throws(LMDBError) {
            guard pageNumber == slot, pageFlags == Format.metaPage, magic == Format.magic else {
                throw LMDBError(.invalid, .validate, detail: "page \(slot): not a meta page")
            }
            guard version == Format.version else {
                throw LMDBError(.versionMismatch, .validate, detail: "format \(version)")
            }
            guard pageSize == UInt32(StructureValidator.expectedPageSize), address == 0,
                self.mapSize <= 1 << 46,
                free.flags == Format.freeTreeFlags, main.flags == 0
            else {
                throw LMDBError(
                    .invalid, .validate, detail: "page \(slot): written on another kind of machine")
            }
            // The map is as large as the last page requires. The file may be slightly shorter, because pages
            // that were allocated and freed in one transaction are never written.
            let limit =
                min(max(UInt64(max(mapSize, 0)), fileSize &* 2), Format.maximumFileSize) / UInt64(pageSize)
            guard lastPage >= 1, lastPage < limit else {
                throw .damage("page \(slot): its last page \(lastPage) is out of range")
            }
            guard transaction == 0 || transaction & 1 == slot, transaction <= Format.maximumTransaction else {
                throw .damage("page \(slot): its transaction number \(transaction) is invalid")
            }
        }
    }
}
