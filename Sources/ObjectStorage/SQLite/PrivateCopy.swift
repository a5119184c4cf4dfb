import Foundation
import GRDB

/// A copy of another program's database, in which SQLite rolls back an interrupted transaction. The copy is
/// deleted with the last reference to it.
final class PrivateCopy: Sendable {
    /// The path of the copied database.
    let path: String
    private let directory: URL

    /// Copies the file of a database and its journal.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/diskFull`` if the copy cannot be made,
    ///   and with ``ObjectStorageError/Code/storeChanged`` if another program wrote to the files meanwhile.
    /// - Complexity: O(*n*) in the bytes of the files.
    private init(ofStoreAt path: String) throws(ObjectStorageError) {
        let files = FileManager.default
        directory = files.temporaryDirectory.appending(path: "store-copy-\(UUID().uuidString)")
        self.path = directory.appending(path: "copy").path
        guard let source = SymbolicLinks.target(of: path) else { throw Self.changed(path) }
        let before = Self.records(of: source)
        do {
            try files.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Self.copyDatabase(at: source, to: self.path)
            // SQLite holds no locks on a journal.
            try files.copyItem(atPath: source + "-journal", toPath: self.path + "-journal")
            try files.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: self.path + "-journal")
        } catch {
            try? files.removeItem(at: directory)
            guard before == Self.records(of: source) else { throw Self.changed(path) }
            throw ObjectStorageError(
                .diskFull,
                "The store “\(path)” has an interrupted transaction, and no copy could be made to roll it back: \(error.localizedDescription) Free space in the directory for temporary files, or open the store with the program that wrote it."
            )
        }
        guard before == Self.records(of: source) else { throw Self.changed(path) }
    }

    private static func copyDatabase(at source: String, to path: String) throws {
        try DatabaseFile.reading(uri: LocklessAccess.uri(ofFileAt: source), path: source) { file in
            guard
                FileManager.default.createFile(
                    atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteUnknown) }
            let copy = try FileHandle(forWritingTo: URL(filePath: path))
            guard let size = file.size else { throw CocoaError(.fileReadUnknown) }
            for offset in stride(from: 0, to: size, by: copiedBytes) {
                let count = min(Int64(copiedBytes), size - offset)
                guard let bytes = file.bytes(Int(count), at: offset) else {
                    throw CocoaError(.fileReadUnknown)
                }
                try copy.write(contentsOf: bytes)
            }
            // A file system may report a failed write only now.
            try copy.close()
        }
    }

    /// The number of bytes that are copied at a time.
    private static let copiedBytes: Int64.Stride = 1 << 20

    /// Returns the records of the main file and the journal.
    private static func records(of path: String) -> [FileRecord] {
        [FileRecord(path), FileRecord(path + "-journal", time: .modification)]
    }

    private static func changed(_ path: String) -> ObjectStorageError {
        ObjectStorageError(
            .storeChanged,
            "The store “\(path)” was changed by another program while a copy of it was made. Open it again.")
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// The number of attempts to open a store that another program opens, writes and closes meanwhile.
    private static let maximumAttempts = 10

    /// Opens a database without changing or creating any of its files. If a transaction must be rolled back
    /// first, a copy is opened instead. The database is opened again if another program began to write during
    /// a read without locks, or closed the database and thereby deleted the log and its index.
    ///
    /// - Parameters:
    ///   - rollsBack: Whether a transaction that was interrupted is rolled back in the copy. If not, the
    ///     database is opened with a part of its effects, so that only the schema is meaningful.
    ///   - open: Opens a database at a path with options, and reads from it.
    /// - Throws: The errors of the closure; ``ObjectStorageError``.
    static func preservingFiles<Result>(
        ofStoreAt path: String, options: StoreOptions, rollsBack: Bool = true,
        _ open: (_ path: String, _ options: StoreOptions) throws -> Result
    ) throws -> Result {
        for _ in 1..<maximumAttempts {
            do {
                return try openOnce(path, options, rollsBack, open)
            } catch let error as ObjectStorageError where error.code == .storeChanged {
                continue
            } catch let error as DatabaseError where LocklessAccess.isShortOfFiles(error) {
                continue
            }
        }
        return try openOnce(path, options, rollsBack, open)
    }

    private static func openOnce<Result>(
        _ path: String, _ options: StoreOptions, _ rollsBack: Bool,
        _ open: (String, StoreOptions) throws -> Result
    ) throws -> Result {
        do {
            return try open(path, options.lockless(try LocklessAccess(preservingFilesOf: path)))
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
            guard rollsBack else {
                return try open(path, options.lockless(LocklessAccess(ignoringJournalOf: path)))
            }
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
}
