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
    let isForWantOfRoom: Bool
    /// Whether SQLite locks the store as usual, so that commits of other programs are read.
    let usesLocks: Bool
    private let path: String
    /// Whether a log exists that may contain rows.
    private let hasLog: Bool
    private let state: FileState

    /// Finds a method of reading a store that SQLite could not open.
    ///
    /// - Parameter error: The error with which it could not be opened.
    /// - Returns: Nil if the error has another cause, or a transaction was interrupted: only a program that
    ///   can write the store can roll it back.
    init?(path: String, after error: DatabaseError) {
        guard Self.isShortOfFiles(error), let path = SymbolicLinks.target(of: path) else { return nil }
        isForWantOfRoom = Self.isFull(path) || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
        guard access(path, R_OK) == 0, !FileState.hasJournal(path),
            isForWantOfRoom || Self.isUnwritable(path)
        else { return nil }
        self.path = path
        usesLocks = false
        state = FileState(path)
        hasLog = state.logSize > 0 && !Mutant.logIgnored.isPlanted
        uri = "file:\(Self.encoded(path))?mode=ro&\(hasLog ? "vfs=unix-none" : "immutable=1")"
    }

    /// Describes a method of reading a file as it is now, without the rollback of a transaction that was
    /// interrupted. Of its contents, only the part of the schema that the transaction did not change is
    /// meaningful.
    init(ignoringJournalOf path: String) {
        self.path = path
        state = FileState(path)
        isForWantOfRoom = false
        hasLog = false
        usesLocks = false
        uri = "file:\(Self.encoded(path))?mode=ro&immutable=1"
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
        isForWantOfRoom = false
        state = FileState(file)
        let encoded = Self.encoded(file)
        // SQLite opens a log that is there, whatever the header of the database declares. A program that has
        // the store open may have emptied the log.
        let (log, index) = (access(file + "-wal", F_OK) == 0, access(file + "-shm", F_OK) == 0)
        let isDeclared = try Self.isLogged("file:\(encoded)?mode=ro&immutable=1", path)
        let isLogged = log || isDeclared
        usesLocks = isLogged ? log && index : true
        hasLog = !usesLocks && state.logSize > 0 && !Mutant.logIgnored.isPlanted
        let parameter =
            usesLocks
            ? (isLogged ? "readonly_shm=1" : "cache=private")
            : hasLog ? "vfs=unix-none" : "immutable=1"
        uri = "file:\(encoded)?mode=ro&\(parameter)"
    }

    /// Returns whether the header of a database declares a write-ahead log. The file is read through SQLite,
    /// because closing another descriptor of it would drop SQLite's locks in this process.
    private static func isLogged(_ uri: String, _ path: String) throws(ObjectStorageError) -> Bool {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        let status = sqlite3_open_v2(
            uri, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard status == SQLITE_OK,
            sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods
        else {
            throw ObjectStorageError(
                DatabaseError(of: connection, sql: ""), while: "Opening the store “\(path)”")
        }
        var versions: [UInt8] = [0, 0]
        // The write and read versions of the file format: sqlite.org/fileformat2.html, section 1.3.
        guard methods.pointee.xRead?(file, &versions, 2, 18) == SQLITE_OK else { return false }
        return versions[1] == 2
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

    private var changed: ObjectStorageError {
        ObjectStorageError(
            .storeChanged,
            "The store “\(path)” is read without a file that SQLite cannot or must not create beside it, and another program changed it in the meantime. Create a new container."
        )
    }
}

/// The records of the files of a store that a reader without locks depends on.
private struct FileState: Equatable, Sendable {
    private let files: [FileRecord]

    init(_ path: String) { files = ["", "-wal", "-shm"].map { FileRecord(path + $0) } }

    /// The size of the write-ahead log in bytes; 0 without one.
    var logSize: Int { files[1].size }

    /// Returns whether a transaction with a rollback journal was interrupted.
    static func hasJournal(_ path: String) -> Bool { FileRecord(path + "-journal").size > 0 }
}
