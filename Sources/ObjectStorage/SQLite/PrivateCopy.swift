import Foundation
import GRDB

/// A copy of another program's database, in which SQLite rolls back an interrupted transaction. It exists as
/// long as it is referenced.
final class PrivateCopy: Sendable {
    /// The path of the copied database.
    let path: String
    private let directory: URL

    /// Copies the file of a database and its journal.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/diskFull`` if the copy cannot be made.
    /// - Complexity: O(*n*) in the bytes of the files.
    private init(ofStoreAt path: String) throws(ObjectStorageError) {
        let files = FileManager.default
        directory = files.temporaryDirectory.appending(path: "store-copy-\(UUID().uuidString)")
        self.path = directory.appending(path: "copy").path
        do {
            try files.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for suffix in ["", "-journal"] {
                try files.copyItem(atPath: path + suffix, toPath: self.path + suffix)
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: self.path + suffix)
            }
        } catch {
            try? files.removeItem(at: directory)
            throw ObjectStorageError(
                .diskFull,
                "The store “\(path)” has an interrupted transaction, and no copy could be made to roll it back: \(error.localizedDescription) Free space in the directory for temporary files, or open the store with the program that wrote it."
            )
        }
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Opens a database so that none of its files is changed or created. If a transaction must be rolled back
    /// before it can be read, a copy is opened.
    ///
    /// - Parameter open: Opens a database at a path with options, and reads from it.
    /// - Throws: The errors of the closure; ``ObjectStorageError``.
    static func preservingFiles<Result>(
        ofStoreAt path: String, options: StoreOptions,
        _ open: (_ path: String, _ options: StoreOptions) throws -> Result
    ) throws -> Result {
        do {
            return try openInPlace(path, options, open)
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
            let copy = try PrivateCopy(ofStoreAt: path)
            var options = options
            options.isReadOnly = true
            options.connections = .single
            // SQLite rolls back only in a file that is open for writing.
            options.opensFileForWriting = true
            options.privateCopy = copy
            return try open(copy.path, options)
        }
    }

    /// Opens a database where it is, again if a program began to write to it while it was read without locks,
    /// or deleted the log and its index when it closed the database.
    private static func openInPlace<Result>(
        _ path: String, _ options: StoreOptions, _ open: (String, StoreOptions) throws -> Result
    ) throws -> Result {
        for _ in 0..<10 {
            do {
                return try open(path, options.lockless(try LocklessAccess(preservingFilesOf: path)))
            } catch let error as ObjectStorageError where error.code == .storeChanged {
                continue
            } catch let error as DatabaseError where LocklessAccess.isShortOfFiles(error) {
                continue
            }
        }
        return try open(path, options.lockless(try LocklessAccess(preservingFilesOf: path)))
    }
}
