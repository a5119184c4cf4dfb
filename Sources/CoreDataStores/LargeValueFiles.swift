import Foundation
import ObjectStorage

/// The files of large values that one transaction writes and replaces, in `.NAME_SUPPORT/_EXTERNAL_DATA`
/// beside the store.
///
/// New files are on the disk before the commit, and replaced files are removed after it, so a row never names
/// a missing file. If the process ends in between, a file remains that no row names.
struct LargeValueFiles {
    /// The largest value that is kept in its row, in bytes. Core Data decides for each value; 128 KiB is the
    /// size that users measured.
    static let maximumInlineSize = 131_072

    private let directory: URL
    private var written: [String] = []
    private var replaced: [String] = []

    init(ofStoreAt path: String) {
        directory = StoreBackup.supportDirectory(ofStoreAt: path).appending(path: "_EXTERNAL_DATA")
    }

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
            try StoreBackup.makeDirectory(directory)
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
        return [2] + Array(name.utf8) + [0]
    }

    /// Returns the name of the file that the bytes in a row refer to; nil for bytes that name no file.
    static func name(in bytes: [UInt8]) -> String? {
        guard bytes.first == 2 else { return nil }
        let text = String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        return UUID(uuidString: text) == nil ? nil : text
    }

    /// Returns whether a file exists.
    func contains(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: directory.appending(path: name).path)
    }

    /// Records that no row names a file after the commit.
    mutating func noteReplaced(_ name: String) { replaced.append(name) }

    /// Removes the files that no row names any more. A file that cannot be removed takes room, and is not an
    /// error.
    mutating func removeReplaced() {
        remove(replaced)
        begin()
    }

    /// Removes the new files, whose rows were not committed.
    mutating func removeWritten() {
        remove(written)
        begin()
    }

    private func remove(_ names: [String]) {
        for name in names { try? FileManager.default.removeItem(at: directory.appending(path: name)) }
    }
}

extension CoreDataWriter {
    /// Moves large values of changed rows to files, and finds the files that the transaction replaces.
    func completeFiles(ofTable index: Int, in database: OwnersDatabase) throws(ObjectStorageError) {
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
                        "A row of \(table.name) would name the file “\(file)”, which no longer exists: an undone change had replaced it. Nothing was saved; set the value again."
                    )
                }
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
