import CSQLiteSettings
import Foundation
import GRDB
import GRDBSQLite

/// How SQLite gets at a store's file.
///
/// Programs share a write-ahead log by means of a file with the log's index. Where that file cannot be made,
/// SQLite reads the store without it, and without locks: every read is followed by a look at the files, so that
/// rows of two moments are never shown together.
enum FileAccess: Equatable, Sendable {
    /// As all programs do, with locks.
    case shared
    /// Without a log, in which there is nothing.
    case alone(StoreFiles)
    /// With the log, whose index SQLite keeps in memory.
    case aloneWithLog(StoreFiles)

    /// What SQLite calls the file: its path, or a URI with what else it has to know.
    func name(ofFileAt path: String) -> String {
        let parameters: String
        switch self {
        case .shared: return path
        case .alone: parameters = "mode=ro&immutable=1"
        case .aloneWithLog: parameters = "mode=ro&vfs=unix-none"
        }
        var absolute = path
        if !path.hasPrefix("/") { absolute = FileManager.default.currentDirectoryPath + "/" + path }
        let allowed = CharacterSet(charactersIn: "/-._~").union(.alphanumerics)
        let encoded = absolute.utf8.map { byte -> String in
            let scalar = Unicode.Scalar(byte)
            return scalar.isASCII && allowed.contains(scalar)
                ? String(scalar) : "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return "file:\(encoded.joined())?\(parameters)"
    }

    /// Has a new connection keep the log's index in memory, and leave the log as it is.
    ///
    /// - Throws: `DatabaseError`.
    func prepare(_ source: some StatementSource) throws {
        guard case .aloneWithLog = self else { return }
        guard csqlitesettings_keep_log(UnsafeMutableRawPointer(source.connection)) == SQLITE_OK else {
            throw DatabaseError(of: source.connection, sql: "")
        }
        // Without the word “main” it is for all databases of the connection.
        _ = try source.rows("PRAGMA main.locking_mode = EXCLUSIVE")
    }

    /// Makes sure that nobody wrote to the files since they were looked at first.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/storeReplaced``.
    func check() throws(ObjectStorageError) {
        switch self {
        case .shared: return
        case .alone(let files), .aloneWithLog(let files):
            guard files == StoreFiles(ofStoreAt: files.path) else {
                throw ObjectStorageError(
                    .storeReplaced,
                    "Another program wrote to the store “\(files.path)”, which this program cannot write and so reads without locks. Open it again."
                )
            }
        }
    }
}
