import CLMDB
import Foundation
import Mutants

/// A validator of the structure of a data file, before liblmdb relies on it.
///
/// liblmdb trusts the file: a page size of zero causes a division by zero, and a page number beyond the end
/// of the file is read from the map and kills the process. So the two meta pages are checked before an
/// environment is opened, and its trees before the first look-up. Everything is read with `pread(2)` and
/// never through the map, where damage to the file would raise a signal instead of returning a status.
///
/// The format is version 1 of the data file, which all versions of LMDB 0.9 write, on a machine with 64-bit
/// words.
struct StructureValidator: ~Copyable {
    /// The extent of a check.
    enum Extent: Sendable {
        /// The structure that reading relies on: the main tree and the trees of the named databases, and that
        /// each value is within the file.
        case reading
        /// In addition, the structure that writing relies on: the lengths of all runs of overflow pages, and
        /// the free pages.
        case writing
    }

    let descriptor: Int32
    let extent: Extent
    let meta: Meta
    let pageSize: Int
    /// The number of whole pages in the file. Less than the meta page states if the last pages were never
    /// written.
    let pagesInFile: UInt64
    /// The patterns of the keys of the named databases.
    let keyPatterns: [KeyPattern]
    /// One bit for each page: whether the check has found a use of the page.
    var claimed: [UInt64]
    /// Buffers of one page for each level of a tree, and one for reading lists.
    let buffers: UnsafeMutableRawBufferPointer
    /// The offsets at which nodes of a page begin, one bit for two bytes.
    var starts: [UInt64]
    /// The offsets at which nodes of a page end, one bit for two bytes.
    var ends: [UInt64]

    init(descriptor: Int32, meta: Meta, extent: Extent, fileSize: UInt64, keyPatterns: [KeyPattern]) {
        self.descriptor = descriptor
        self.meta = meta
        self.extent = extent
        self.keyPatterns = keyPatterns
        pagesInFile = fileSize / UInt64(Self.expectedPageSize)
        pageSize = Self.expectedPageSize
        claimed = Array(repeating: 0, count: Int(meta.lastPage / 64) + 1)
        buffers = .allocate(byteCount: (Format.maximumDepth + 1) * pageSize, alignment: 16)
        starts = Array(repeating: 0, count: pageSize / 128 + 1)
        ends = starts
    }

    deinit { buffers.deallocate() }

    /// The size of a page on this machine: the system's page size, but at most 32 KiB, as in liblmdb.
    static var expectedPageSize: Int { min(sysconf(Int32(_SC_PAGESIZE)), 0x8000) }

    /// Checks the trees of an open environment in a snapshot.
    ///
    /// The snapshot prevents the reuse of its pages, so that other processes may write at the same time.
    /// They may overwrite its meta page after two commits; then another snapshot is taken.
    ///
    /// - Parameters:
    ///   - environment: liblmdb's handle.
    ///   - options: The options of the environment.
    ///   - begin: Begins a read transaction.
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/corrupted`` if the structure is damaged, and with
    ///   ``LMDBError/Code/foreign`` if it belongs to another program.
    /// - Complexity: O(*p*) in the pages of trees, and for writing also in the values on overflow pages.
    static func check(
        _ environment: OpaquePointer, _ options: Environment.Options, for extent: Extent,
        begin: (OpaquePointer) throws(LMDBError) -> OpaquePointer
    ) throws(LMDBError) {
        if Mutant.noValidator.isPlanted { return }
        try requireAddressSpace(for: options)
        var descriptor: Int32 = -1
        try LMDBError.check(mdb_env_get_fd(environment, &descriptor), .validate)
        for _ in 0..<20 {
            let transaction = try begin(environment)
            defer { mdb_txn_abort(transaction) }
            if try checkSnapshot(transaction, descriptor, options, for: extent) { return }
        }
        // Either the snapshots never were in the file, or other processes write faster than this one reads.
        let (first, second) = (
            try Meta(slot: 0, descriptor: descriptor), try Meta(slot: 1, descriptor: descriptor)
        )
        usleep(1_000)
        if try first == Meta(slot: 0, descriptor: descriptor),
            try second == Meta(slot: 1, descriptor: descriptor)
        {
            throw .damage("the meta pages do not match the transactions in the lock file")
        }
        throw LMDBError(.busy, .validate)
    }

    /// Checks that the memory for a check is available, because an allocation that fails ends the process.
    /// The map of the environment may have taken almost all address space.
    ///
    /// - Throws: ``LMDBError`` with `ENOMEM`.
    private static func requireAddressSpace(for options: Environment.Options) throws(LMDBError) {
        // A bit for each page, and 1 MiB for all other allocations of the check.
        let byteCount = options.mapSize / (expectedPageSize * 8) + (1 << 20)
        let mapped = mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else {
            throw LMDBError(
                LMDBError.Code(rawValue: ENOMEM), .validate, detail: "too little address space left")
        }
        munmap(mapped, byteCount)
    }

    /// Checks a snapshot, and returns false if its meta page was overwritten during the check, so that
    /// another snapshot must be taken.
    private static func checkSnapshot(
        _ transaction: OpaquePointer, _ descriptor: Int32, _ options: Environment.Options, for extent: Extent
    ) throws(LMDBError) -> Bool {
        // The number comes from the lock file, which may contain any value.
        let snapshot = UInt64(truncatingIfNeeded: mdb_txn_id(transaction))
        // The file may grow, but already contains the pages of the snapshot.
        guard let status = FileStatus(descriptor: descriptor) else {
            throw LMDBError(LMDBError.Code(rawValue: errno), .validate)
        }
        let meta = try Meta(slot: snapshot & 1, descriptor: descriptor)
        guard meta.transaction == snapshot else { return false }
        do throws(LMDBError) {
            try meta.check(slot: snapshot & 1, mapSize: options.mapSize, fileSize: status.size)
            var validator = StructureValidator(
                descriptor: descriptor, meta: meta, extent: extent, fileSize: status.size,
                keyPatterns: options.keyPatterns)
            try validator.checkTrees()
            return true
        } catch {
            guard error.isDamage else { throw error }
            // A meta page that was being written is not damaged.
            if try Meta(slot: snapshot & 1, descriptor: descriptor) == meta { throw error }
            return false
        }
    }

    mutating func checkTrees() throws(LMDBError) {
        let named = try checkTree(meta.main, kind: .main)
        for record in named { _ = try checkTree(record, kind: .named) }
        if extent == .writing, !Mutant.noFreeListCheck.isPlanted {
            _ = try checkTree(meta.free, kind: .free)
        }
    }

    /// Marks pages as used, and checks that they are in the range of the meta page and not used before.
    mutating func claim(_ first: UInt64, count: UInt64) throws(LMDBError) {
        guard first >= 2, first <= meta.lastPage, count >= 1, count <= meta.lastPage &- first &+ 1 else {
            throw .damage("page \(first): \(count) pages from here are not within the file")
        }
        for page in first...first &+ (count &- 1) {
            let bit: UInt64 = 1 << (page & 63)
            guard claimed[Int(page >> 6)] & bit == 0 else { throw .damage("page \(page): used twice") }
            claimed[Int(page >> 6)] |= bit
        }
    }

    /// Reads bytes of the file into a buffer.
    ///
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/corrupted`` if the file ends before the bytes, or with
    ///   an `errno` if it cannot be read.
    func read(page: UInt64, offset: Int = 0, count: Int, into buffer: Int) throws(LMDBError)
        -> UnsafeRawBufferPointer
    {
        // Page numbers were claimed, so they are within the map and the product is within range.
        let start = Int64(page) * Int64(pageSize) + Int64(offset)
        let target = UnsafeMutableRawBufferPointer(
            rebasing: buffers[buffer * pageSize..<buffer * pageSize + count])
        try Self.read(descriptor, at: start, into: target)
        return UnsafeRawBufferPointer(target)
    }

    static func read(
        _ descriptor: Int32, at offset: Int64, into target: UnsafeMutableRawBufferPointer
    ) throws(LMDBError) {
        var done = 0
        while done < target.count {
            let count = pread(
                descriptor, target.baseAddress! + done, target.count - done, off_t(offset) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw LMDBError(LMDBError.Code(rawValue: errno), .validate) }
            guard count > 0 else {
                throw .damage("the file ends before byte \(offset + Int64(target.count))")
            }
            done += count
        }
    }
}

extension LMDBError {
    /// Returns the error of a damaged structure.
    static func damage(_ detail: @autoclosure () -> String) -> LMDBError {
        LMDBError(.corrupted, .validate, detail: detail())
    }

    /// Returns the error of a structure that belongs to another program.
    static func foreign(_ detail: @autoclosure () -> String) -> LMDBError {
        LMDBError(.foreign, .validate, detail: detail())
    }
}
