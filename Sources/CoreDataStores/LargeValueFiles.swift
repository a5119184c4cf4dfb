import Foundation
import ObjectStorage

/// The files of large values that one transaction writes and replaces, in `.NAME_SUPPORT/_EXTERNAL_DATA`
/// beside the store.
///
/// New files are on the disk before the commit, and replaced files are removed after it, so a row never names
/// a missing file. If the process ends in between, a file remains that no row names. A file that cannot be
/// removed before the container is closed also remains.
struct LargeValueFiles {
    /// The largest value that is kept in its row, in bytes. Core Data decides for each value; 128 KiB is the
    /// limit according to published measurements.
    static let maximumInlineSize = 131_072

    private let directory: URL
    private var written: [String] = []
    private var replaced: [String] = []
    /// The files that no row names, and that could not be removed yet.
    private var remaining: Set<String> = []
    /// Whether the entries of the directory and of the one above it are on the disk.
    private var isDirectoryDurable = false

    init(ofStoreAt path: String) { directory = ExternalFiles.directory(ofStoreAt: path) }

    /// Begins a transaction.
    mutating func begin() { (written, replaced) = ([], []) }

    /// Writes a value to a new file and waits until it is on the disk.
    ///
    /// - Returns: The bytes that name the file in a row: the prefix 2, the name, and a null byte.
    /// - Throws: ``ObjectStorageError`` if the file cannot be written.
    mutating func write(_ bytes: ArraySlice<UInt8>) throws(ObjectStorageError) -> [UInt8] {
        let name = UUID().uuidString
        let path = directory.appending(path: name).path
        do {
            try makeDirectory()
            written.append(name)
            try Data(bytes).write(to: URL(filePath: path), options: .withoutOverwriting)
            try StoreBackup.synchronize(path)
            try StoreBackup.synchronize(directory.path)
        } catch {
            throw ObjectStorageError(
                .storeReadOnly,
                "The value of \(bytes.count) bytes cannot be written to the file “\(path)”: \(error). Nothing was saved; check the permissions and the free disk space."
            )
        }
        guard case .blob(let bytes) = ExistingTable.Form.prefixedBytes.column(ofValue: .text(name)) else {
            return []
        }
        return bytes
    }

    /// Makes the directory, and waits until its entry and those of the directories above it are on the disk.
    private mutating func makeDirectory() throws {
        if isDirectoryDurable, FileManager.default.fileExists(atPath: directory.path) { return }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        // An earlier process may have made the directories and ended before their entries were on the disk.
        let support = directory.deletingLastPathComponent()
        for url in [directory, support, support.deletingLastPathComponent()] {
            try StoreBackup.synchronize(url.path)
        }
        isDirectoryDurable = true
    }

    /// Returns the name of the file that the bytes in a row refer to; nil for bytes that name no file.
    static func name(in bytes: [UInt8]) -> String? {
        if case .text(let name) = ExistingTable.Form.prefixedBytes.value(ofColumn: .blob(bytes)) {
            name
        } else {
            nil
        }
    }

    /// Returns whether a file exists.
    func contains(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: directory.appending(path: name).path)
    }

    /// Records that no row names a file after the commit.
    mutating func noteReplaced(_ name: String) { replaced.append(name) }

    /// Records that a row names a file again, as after an undone change.
    mutating func noteNamed(_ name: String) { remaining.remove(name) }

    /// Removes the files that rows named before the transaction and no row names after it, and those of
    /// earlier transactions that could not be removed at their ends.
    mutating func removeReplaced() {
        remaining.formUnion(replaced)
        removeRemaining()
    }

    /// Removes the new files, whose rows were not committed.
    mutating func removeWritten() {
        remaining.formUnion(written)
        removeRemaining()
    }

    private mutating func removeRemaining() {
        remaining = remaining.filter { name in
            do {
                try FileManager.default.removeItem(at: directory.appending(path: name))
                return false
            } catch CocoaError.fileNoSuchFile {
                return false
            } catch {
                return true
            }
        }
        begin()
    }
}

extension CoreDataWriter {
    /// Moves large values of changed rows to files, and finds the files that the transaction replaces.
    func completeFiles(ofTable index: Int, in database: ExternalStoreConnection) throws(ObjectStorageError) {
        let table = plan.tables[index]
        let name = "main." + table.name.quotedIdentifier
        for cell in recorder.writtenCells where cell.table == index {
            let column = table.fileColumns[cell.column].quotedIdentifier
            let rows = try database.rows(
                "SELECT \(column) FROM \(name) WHERE Z_PK = ?1 AND typeof(\(column)) = 'blob'",
                [.integer(cell.key)])
            guard case .blob(let bytes)? = rows.first?.first else { continue }
            if let file = LargeValueFiles.name(in: bytes) {
                guard files.contains(file) else {
                    throw ObjectStorageError(
                        .objectMissing,
                        "The file “\(file)” was removed when its value was replaced, so the change of row \(cell.key) of \(table.name) cannot be undone. Nothing was saved; set the value again, or roll back."
                    )
                }
                files.noteNamed(file)
            } else if bytes.first == 1, bytes.count - 1 > LargeValueFiles.maximumInlineSize {
                try database.run(
                    "UPDATE \(name) SET \(column) = ?2 WHERE Z_PK = ?1",
                    [.integer(cell.key), .blob(try files.write(bytes.dropFirst()))])
            }
        }
        for (cell, bytes) in recorder.formerFiles where cell.table == index {
            guard let file = LargeValueFiles.name(in: bytes) else { continue }
            let column = table.fileColumns[cell.column].quotedIdentifier
            let rows = try database.rows(
                "SELECT 1 FROM \(name) WHERE \(column) = ?1 LIMIT 1", [.blob(bytes)])
            if rows.isEmpty { files.noteReplaced(file) }
        }
    }
}
