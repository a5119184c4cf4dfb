import CLMDB
import Foundation
import Mutants

extension StructureValidator {
    /// Checks a data file before its environment is opened. An absent or empty file is new and passes.
    ///
    /// - Parameters:
    ///   - directory: The open directory of the file.
    ///   - options: The options for opening the environment.
    ///   - withTrees: Whether to check the trees in addition to the meta pages. Other processes may change
    ///     the trees during the check, and a file that changes continuously is reported as damaged.
    /// - Returns: The number of named databases.
    /// - Throws: ``LMDBError`` with ``LMDBError/isDamage`` for a damaged file, with
    ///   ``LMDBError/Code/foreign`` for a file of another program, or with an `errno`.
    @discardableResult
    static func checkFile(
        in directory: Int32, _ options: Environment.Options, withTrees: Bool
    ) throws(LMDBError) -> UInt64 {
        if Mutant.noValidator.isPlanted { return 0 }
        // `O_NONBLOCK`, because opening a named pipe would block.
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
                // If another process is writing the pages, they differ at the next attempt.
                guard previous != pages, attempt < maximumAttempts else { throw error }
                previous = pages
                usleep(1_000)
            }
        }
    }

    /// The largest number of attempts for a file that changes during the check.
    private static let maximumAttempts = 100
}

/// The two meta pages of a file.
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
            throw LMDBError(.invalid, .validate, detail: "the file has \(fileSize) bytes")
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
        // Commits alternate between the two pages.
        let (first, second) = (metas[0].transaction, metas[1].transaction)
        guard first &- second <= 1 || second &- first <= 1 else {
            throw .damage("the meta pages have the transaction numbers \(first) and \(second)")
        }
    }

    /// The meta page of the last commit.
    var newest: StructureValidator.Meta? { metas.max { $0.transaction < $1.transaction } }

    /// Checks the trees of the last commit. The meta pages must have been checked.
    func checkTrees(keyPatterns: [KeyPattern]) throws(LMDBError) {
        guard let newest else { return }
        var validator = StructureValidator(
            descriptor: descriptor, meta: newest, extent: .reading, fileSize: fileSize,
            keyPatterns: keyPatterns)
        try validator.checkTrees()
    }
}
