import CLMDB
import Foundation
import Mutants

extension StructureValidator {
    /// Checks a data file before an environment is opened. A file that is absent or empty is new, and fine.
    ///
    /// - Parameters:
    ///   - directory: The open directory that the file is in.
    ///   - options: How it is going to be opened.
    ///   - withTrees: Whether to check more than the meta pages: the trees, of which nothing keeps others
    ///     from changing them meanwhile. A file that others change all the time passes for damaged.
    /// - Returns: The number of named databases.
    /// - Throws: ``LMDBError``: damage as ``LMDBError/isDamage`` says, ``LMDBError/Code/foreign`` if it is
    ///   somebody else's, or an `errno`.
    @discardableResult
    static func checkFile(
        in directory: Int32, _ options: Environment.Options, withTrees: Bool
    ) throws(LMDBError) -> UInt64 {
        if Mutant.noValidator.isPlanted { return 0 }
        // Not blocking, because opening a named pipe would.
        let descriptor = openat(directory, "data.mdb", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return 0 }
            throw LMDBError(LMDBError.Code(rawValue: errno), .validate)
        }
        defer { close(descriptor) }
        var previous: MetaPages?
        var attempt = 0
        while true {
            attempt += 1
            let pages = try MetaPages(descriptor: descriptor)
            do throws(LMDBError) {
                try pages.check(options)
                if withTrees { try pages.checkTrees(keyPatterns: options.keyPatterns) }
                return pages.newest?.main.entries ?? 0
            } catch {
                // What another process is writing at this moment is different the next time.
                guard previous != pages, attempt < maximumAttempts else { throw error }
                previous = pages
                usleep(1_000)
            }
        }
    }

    /// How often a file is read that changes meanwhile.
    private static let maximumAttempts = 100
}

/// Both meta pages of a file.
private struct MetaPages: Equatable {
    let descriptor: Int32
    let fileSize: UInt64
    let isRegular: Bool
    let metas: [StructureValidator.Meta]

    init(descriptor: Int32) throws(LMDBError) {
        self.descriptor = descriptor
        guard let status = FileStatus(descriptor: descriptor) else {
            throw LMDBError(LMDBError.Code(rawValue: errno), .validate)
        }
        fileSize = status.size
        isRegular = status.isRegular
        let isLongEnough = isRegular && fileSize >= UInt64(2 * StructureValidator.expectedPageSize)
        metas =
            isLongEnough
            ? [
                try StructureValidator.Meta(slot: 0, descriptor: descriptor),
                try StructureValidator.Meta(slot: 1, descriptor: descriptor),
            ] : []
    }

    func check(_ options: Environment.Options) throws(LMDBError) {
        guard isRegular else { throw LMDBError(.invalid, .validate, detail: "not a regular file") }
        if fileSize == 0 { return }
        guard fileSize <= StructureValidator.Format.maximumFileSize, metas.count == 2 else {
            throw LMDBError(.invalid, .validate, detail: "\(fileSize) bytes")
        }
        for meta in metas
        where meta.magic == StructureValidator.Format.magic
            && meta.main.isForeign(descriptor, keyPatterns: options.keyPatterns)
        {
            throw .foreign("a main tree with flags \(meta.main.flags)")
        }
        for slot in 0..<2 {
            try metas[slot].check(slot: UInt64(slot), mapSize: options.mapSize, fileSize: fileSize)
        }
        // Commits write the pages in turn.
        let (first, second) = (metas[0].transaction, metas[1].transaction)
        guard first &- second <= 1 || second &- first <= 1 else {
            throw .damage("transactions \(first) and \(second)")
        }
    }

    /// The one that was committed last.
    var newest: StructureValidator.Meta? { metas.max { $0.transaction < $1.transaction } }

    /// Checks the trees that were committed last. The meta pages must have been checked.
    func checkTrees(keyPatterns: [KeyPattern]) throws(LMDBError) {
        guard let newest else { return }
        var validator = StructureValidator(
            descriptor: descriptor, meta: newest, extent: .reading, fileSize: fileSize,
            keyPatterns: keyPatterns)
        try validator.checkTrees()
    }
}
