import CLMDB
import Foundation
import Mutants

/// What liblmdb, or the system below it, reported.
package struct LMDBError: Error, Hashable, Sendable {
    /// A status of liblmdb (negative) or of the system (positive, an `errno`). The set is open: unknown ones
    /// survive.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The status as liblmdb returned it.
        package let rawValue: Int32
        /// Wraps a status.
        package init(rawValue: Int32) { self.rawValue = rawValue }

        /// The map has no room left.
        package static let mapFull = Self(rawValue: MDB_MAP_FULL)
        /// No more named databases.
        package static let databasesFull = Self(rawValue: MDB_DBS_FULL)
        /// No more reader slots.
        package static let readersFull = Self(rawValue: MDB_READERS_FULL)
        /// A page is not what it should be.
        package static let corrupted = Self(rawValue: MDB_CORRUPTED)
        /// The file is not an LMDB environment of this machine.
        package static let invalid = Self(rawValue: MDB_INVALID)
        /// The file is of another version of LMDB's format.
        package static let versionMismatch = Self(rawValue: MDB_VERSION_MISMATCH)
        /// An earlier write failed half-way; the environment must be opened anew.
        package static let panic = Self(rawValue: MDB_PANIC)
        /// Somebody else is at it, and would have to be waited for.
        package static let busy = Self(rawValue: EBUSY)
        /// The environment is open under this process's number already, behind the registry's back.
        package static let guarded = Self(rawValue: EALREADY)
        /// This is a forked child of the process that opened environments.
        package static let forked = Self(rawValue: ECHILD)
        /// Another process uses a larger map, and the file has outgrown this one's.
        package static let mapResized = Self(rawValue: MDB_MAP_RESIZED)
        /// The file holds what is not the caller's.
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
        /// Seeing to it that nobody else is at it.
        case guarding
    }

    /// The status.
    package let code: Code
    /// The call that failed.
    package let operation: Operation
    /// What is wrong in particular, if more is known than the status says.
    package let detail: String?

    /// Makes an error.
    package init(_ code: Code, _ operation: Operation, detail: String? = nil) {
        self.code = code
        self.operation = operation
        self.detail = detail
    }

    /// Throws unless a status says success.
    static func check(_ status: Int32, _ operation: Operation) throws(LMDBError) {
        guard status == MDB_SUCCESS else { throw LMDBError(Code(rawValue: status), operation) }
    }
}

extension LMDBError: CustomStringConvertible {
    /// liblmdb's own words, the call, and what is known besides.
    package var description: String {
        let words = "\(String(cString: mdb_strerror(code.rawValue))) (\(operation.rawValue))"
        return detail.map { "\(words): \($0)" } ?? words
    }
}

extension LMDBError {
    /// Whether the environment's files are not what they should be, so that only new ones help.
    package var isDamage: Bool {
        if Mutant.shortageIsDamage.isPlanted, code.rawValue == ENOMEM { return true }
        return [.corrupted, .invalid, .versionMismatch, .panic].contains(code)
            || code.rawValue == MDB_PAGE_NOTFOUND
    }
}
