import CSQLiteShims
import Foundation
import GRDB
import GRDBSQLite
import InternalUtilities
import Mutants

/// A method of reading a store beside which SQLite cannot create files: its directory or file system is not
/// writable, or the disk is full.
///
/// SQLite reads a database with a write-ahead log through an index of the log, a shared file beside the
/// database. If that file cannot be created, a database without a log is opened as immutable. One with a log
/// is opened without locks, and the index is kept in memory, so that all committed rows are read. Neither
/// method detects other programs, so the state of the files is compared before and after each transaction.
///
/// Source: "Read-Only Databases" and "Use of WAL Without Shared-Memory", sqlite.org/wal.html; "URI
/// Filenames", sqlite.org/uri.html.
struct LocklessAccess: Sendable {
    /// The file's URI, with the parameters of the access, for SQLite.
    let uri: String
    /// Whether the store's disk has no room for another file.
    let isDiskFull: Bool
    /// Whether SQLite locks the store as usual, so that commits of other programs are read.
    let usesLocks: Bool
    private let path: String
    /// Whether a log exists that may contain rows.
    private let hasLog: Bool
    /// Whether SQLite would create a log and its index if a program gave the database a write-ahead log.
    private let mayNotHaveLog: Bool
    private let state: FileState

    /// Finds a method of reading a store that SQLite could not open.
    ///
    /// - Parameter error: The error with which it could not be opened.
    /// - Returns: Nil if the error has another cause, or a transaction was interrupted: only a program that
    ///   can write the store can roll it back.
    init?(path: String, after error: DatabaseError) {
        guard Self.isShortOfFiles(error), let path = SymbolicLinks.target(of: path) else { return nil }
        isDiskFull = Self.isFull(path) || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
        guard access(path, R_OK) == 0, !FileState.hasJournal(path),
            isDiskFull || Self.isUnwritable(path)
        else { return nil }
        self.path = path
        usesLocks = false
        state = FileState(path)
        hasLog = state.logSize > 0 && !Mutant.logIgnored.isPlanted
        mayNotHaveLog = false
        uri =
            "\(Self.uri(ofFileAt: path))?mode=ro&\(hasLog ? "vfs=\(LocklessFileSystem.name)" : "immutable=1")"
    }

    /// Describes a method of reading a file as it is now, without the rollback of a transaction that was
    /// interrupted. Of its contents, only the part of the schema that the transaction did not change is
    /// meaningful.
    init(ignoringJournalOf path: String) {
        self.path = path
        state = FileState(path)
        isDiskFull = false
        hasLog = false
        mayNotHaveLog = false
        usesLocks = false
        uri = "\(Self.uri(ofFileAt: path))?mode=ro&immutable=1"
    }

    /// Finds a method of reading another program's store that neither changes nor creates a file of it, even
    /// where SQLite could.
    ///
    /// The index of a log is read without write access. SQLite then keeps its own index in memory if no
    /// program has the store open. Without an index file, SQLite would create one, so the store is read as if
    /// its directory were not writable.
    ///
    /// - Throws: ``ObjectStorageError`` if there is no file, or it cannot be opened.
    init(preservingFilesOf path: String) throws(ObjectStorageError) {
        guard let file = SymbolicLinks.target(of: path) else {
            throw ObjectStorageError(.storeMissing, "There is no store at “\(path)”. Check the path.")
        }
        self.path = file
        isDiskFull = false
        let fileURI = Self.uri(ofFileAt: file)
        // SQLite opens a log that is there, regardless of the header of the database. A program that has
        // the store open may have emptied the log.
        let (log, index) = (access(file + "-wal", F_OK) == 0, access(file + "-shm", F_OK) == 0)
        let isDeclared = try ObjectStorageError.translating("Opening the store “\(path)”") {
            try DatabaseFile.reading(uri: fileURI, path: path, \.declaresLog)
        }
        let isLogged = log || isDeclared
        usesLocks = isLogged ? log && index : true
        state = usesLocks ? FileState(file) : FileState(settled: file)
        hasLog = !usesLocks && state.logSize > 0 && !Mutant.logIgnored.isPlanted
        mayNotHaveLog = !isLogged
        let parameter =
            usesLocks
            ? "readonly_shm=1"
            : hasLog ? "vfs=\(LocklessFileSystem.name)" : "immutable=1"
        uri = "\(fileURI)?mode=ro&\(parameter)"
    }

    /// Returns whether an error is caused by a file beside the database that cannot be created, opened or
    /// enlarged.
    static func isShortOfFiles(_ error: DatabaseError) -> Bool {
        switch error.extendedResultCode {
        case .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMMAP, .SQLITE_READONLY_CANTINIT,
            .SQLITE_READONLY_RECOVERY, .SQLITE_READONLY_DIRECTORY:
            true
        default: error.resultCode == .SQLITE_CANTOPEN
        }
    }

    private static func isUnwritable(_ path: String) -> Bool {
        let directory = URL(filePath: path).deletingLastPathComponent().path
        return access(path, W_OK) != 0 || access(directory, W_OK) != 0
    }

    /// Returns whether the file system reports no room for data, or for another file.
    private static func isFull(_ path: String) -> Bool {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return false }
        return status.f_bavail == 0 || status.f_files > 0 && status.f_favail == 0
    }

    /// Returns the URI of a file, without parameters.
    static func uri(ofFileAt path: String) -> String { "file:" + encoded(path) }

    private static func encoded(_ path: String) -> String {
        let plain = Set("/-._~".utf8)
        // Two slashes at the beginning would introduce a host name.
        let slashes = path.utf8.prefix { $0 == UInt8(ascii: "/") }.count
        return path.utf8.dropFirst(max(0, slashes - 1)).reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            if plain.contains(byte)
                || scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9") ~= scalar)
            {
                text.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (byte < 16 ? "0" : "") + digits
            }
        }
    }

    /// Prepares a new connection, before it reads anything.
    ///
    /// - Throws: `DatabaseError`.
    func prepare(_ source: some StatementSource) throws {
        // Otherwise the last connection would write the log's pages to the database when it closes.
        guard csqlitesettings_keep_log(UnsafeMutableRawPointer(source.connection)) == SQLITE_OK else {
            throw DatabaseError(of: source.connection, sql: "")
        }
        if hasLog { try source.runScript("PRAGMA locking_mode = EXCLUSIVE") }
    }

    /// Checks that no program has changed the files since the store was opened.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/storeChanged``.
    func checkUnchanged() throws(ObjectStorageError) {
        guard usesLocks || state == FileState(path) else { throw changed }
    }

    /// Runs a closure that reads, and checks before and after it that no program has changed the files.
    ///
    /// - Throws: The errors of the closure; ``ObjectStorageError`` with
    ///   ``ObjectStorageError/Code/storeChanged`` also if another program deleted the log or its index.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try checkUnchanged()
        let outcome = Swift.Result { try body() }
        try checkUnchanged()
        do {
            return try outcome.get()
        } catch let error as DatabaseError where usesLocks && Self.isShortOfFiles(error) {
            guard FileDescriptors.areFree(ObjectStorageError.descriptorsOfConnection) else { throw error }
            throw changed
        }
    }

    /// Checks, before a transaction, that no program has given the database a write-ahead log: SQLite would
    /// create the log and its index.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/storeChanged``.
    func checkDeclaration(of connection: OpaquePointer?) throws(ObjectStorageError) {
        if mayNotHaveLog, DatabaseFile(of: connection)?.declaresLog == true { throw changed }
    }

    private var changed: ObjectStorageError {
        ObjectStorageError(
            .storeChanged,
            "The store “\(path)” was changed by another program while it was read without the files that SQLite would create beside it. Create a new container."
        )
    }
}

/// The records of the files of a store that a reader without locks depends on.
private struct FileState: Equatable, Sendable {
    private let files: [FileRecord]

    init(_ path: String) {
        files = [FileRecord(path)] + ["-wal", "-shm"].map { FileRecord(path + $0, time: .modification) }
    }

    /// Reads the records once each is older than a tick of the clock, so that any later write differs. The
    /// initializer waits only once: the record of a file that is written meanwhile, or whose time is in the
    /// future, may still be more recent.
    init(settled path: String) {
        self.init(path)
        guard let wait = files.compactMap(\.timeUntilSettled).max() else { return }
        Thread.sleep(forTimeInterval: wait)
        self.init(path)
    }

    /// The size of the write-ahead log in bytes; 0 without one.
    var logSize: Int { files[1].size }

    /// Returns whether a transaction with a rollback journal was interrupted.
    static func hasJournal(_ path: String) -> Bool { FileRecord(path + "-journal").size > 0 }
}
