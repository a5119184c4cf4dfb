import CLMDB
import Foundation
import Mutants

/// An error of liblmdb or of the system.
package struct LMDBError: Error, Hashable, Sendable {
    /// A status of liblmdb (negative) or of the system (positive, an `errno`). The set is open: unknown
    /// statuses are kept.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The status as liblmdb returned it.
        package let rawValue: Int32
        /// Creates a code from a status.
        package init(rawValue: Int32) { self.rawValue = rawValue }

        /// The map has no room left.
        package static let mapFull = Self(rawValue: MDB_MAP_FULL)
        /// The limit of named databases is reached.
        package static let databasesFull = Self(rawValue: MDB_DBS_FULL)
        /// All reader slots are in use.
        package static let readersFull = Self(rawValue: MDB_READERS_FULL)
        /// The structure of the file is damaged.
        package static let corrupted = Self(rawValue: MDB_CORRUPTED)
        /// The file is not an LMDB environment of this machine.
        package static let invalid = Self(rawValue: MDB_INVALID)
        /// The file has another version of LMDB's format.
        package static let versionMismatch = Self(rawValue: MDB_VERSION_MISMATCH)
        /// An earlier write failed partway, and the environment must be opened again.
        package static let panic = Self(rawValue: MDB_PANIC)
        /// Another process holds a lock beyond the wait limit.
        package static let busy = Self(rawValue: EBUSY)
        /// The environment is already open under this process's identifier, unknown to the registry.
        package static let guarded = Self(rawValue: EALREADY)
        /// This is a forked child of the process that opened environments.
        package static let forked = Self(rawValue: ECHILD)
        /// Another process uses a larger map, and the file has outgrown the map of this process.
        package static let mapResized = Self(rawValue: MDB_MAP_RESIZED)
        /// The file contains data of another program.
        package static let foreign = Self(rawValue: MDB_INCOMPATIBLE)
        /// A transaction became too large.
        package static let transactionFull = Self(rawValue: MDB_TXN_FULL)
    }

    /// The call that failed.
    package enum Operation: String, Hashable, Sendable {
        case create, open, begin, commit, openDatabase, get, put, delete, drop, cursor, statistics,
            readerCheck, copy
        /// The check of a file's structure before liblmdb uses it.
        case validate
        /// Acquiring the environment lock.
        case guarding
    }

    /// The status.
    package let code: Code
    /// The call that failed.
    package let operation: Operation
    /// Details beyond the status, if known.
    package let detail: String?

    /// Creates an error.
    package init(_ code: Code, _ operation: Operation, detail: String? = nil) {
        self.code = code
        self.operation = operation
        self.detail = detail
    }

    /// Throws an error unless a status is success.
    static func check(_ status: Int32, _ operation: Operation) throws(LMDBError) {
        guard status == MDB_SUCCESS else { throw LMDBError(Code(rawValue: status), operation) }
    }
}

extension LMDBError: CustomStringConvertible {
    /// liblmdb's message, the call that failed, and the details.
    package var description: String {
        let words = "\(String(cString: mdb_strerror(code.rawValue))) (\(operation.rawValue))"
        return detail.map { "\(words): \($0)" } ?? words
    }
}

extension LMDBError {
    /// Whether the environment's files are damaged and must be replaced.
    package var isDamage: Bool {
        if Mutant.shortageIsDamage.isPlanted, code.rawValue == ENOMEM { return true }
        return [.corrupted, .invalid, .versionMismatch, .panic].contains(code)
            || code.rawValue == MDB_PAGE_NOTFOUND
    }
}
