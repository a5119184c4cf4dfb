import Foundation
import ObjectStorage

/// The copy of a store that is made before the first save.
enum StoreBackup {
    /// Returns a location for the copy of a store: `NAME copy 2024-03-01 120000.sqlite` beside it, with the
    /// time in UTC, and with a number if that name exists.
    ///
    /// - Throws: ``ObjectStorageError`` if the directory cannot be written.
    static func copyURL(ofStoreAt path: String, at date: Date = Date()) throws(ObjectStorageError) -> URL {
        let store = URL(filePath: path)
        let directory = store.deletingLastPathComponent()
        let name = store.deletingPathExtension().lastPathComponent
        let time = date.formatted(
            .verbatim(
                "\(year: .defaultDigits)-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased))\(minute: .twoDigits)\(second: .twoDigits)",
                locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
                calendar: Calendar(identifier: .gregorian)))
        let suffix = store.pathExtension.isEmpty ? "" : "." + store.pathExtension
        for number in 1..<1_000 {
            let title = "\(name) copy \(time)\(number == 1 ? "" : " \(number)")\(suffix)"
            let url = directory.appending(path: title)
            let taken = [url.path, ExternalFiles.supportDirectory(ofStoreAt: url.path).path].contains {
                FileManager.default.fileExists(atPath: $0)
            }
            if !taken { return url }
        }
        throw failure(path, "a thousand copies with the same time exist")
    }

    /// Copies a store and the files of its large values, and waits until the copy is on the disk.
    ///
    /// The store is copied on a separate connection, because SQLite does not copy on a connection with a
    /// write transaction. Source: "sqlite3_backup_step", sqlite.org/c3ref/backup_finish.html.
    ///
    /// - Returns: The location of the copy.
    /// - Throws: ``ObjectStorageError``. No part of the copy remains, unless the error names it.
    /// - Complexity: O(*n*) in the bytes of the store and its files.
    static func copy(storeAt path: String) throws(ObjectStorageError) -> URL {
        let copy = try copyURL(ofStoreAt: path)
        do throws(ObjectStorageError) {
            try ExternalStoreConnection.copy(fileAt: path, toFileAt: copy.path)
            try copyFiles(ofStoreAt: path, to: copy)
        } catch {
            let rest = remove(copyAt: copy)
            guard !rest.isEmpty else { throw error }
            throw ObjectStorageError(
                error.code,
                "\(error.message) A part of the copy could not be removed; delete \(rest.map { "“\($0.path)”" }.joined(separator: ", "))."
            )
        }
        return copy
    }

    /// Removes a copy.
    ///
    /// - Returns: The files and directories of the copy that could not be removed.
    @discardableResult
    static func remove(copyAt copy: URL) -> [URL] {
        let names = ["", "-wal", "-shm", "-journal"].map { URL(filePath: copy.path + $0) }
        let all = names + [ExternalFiles.supportDirectory(ofStoreAt: copy.path)]
        return all.filter { url in
            guard FileManager.default.fileExists(atPath: url.path) else { return false }
            do {
                try FileManager.default.removeItem(at: url)
                return false
            } catch {
                return true
            }
        }
    }

    private static func copyFiles(ofStoreAt path: String, to copy: URL) throws(ObjectStorageError) {
        let files = ExternalFiles.supportDirectory(ofStoreAt: path)
        do {
            if FileManager.default.fileExists(atPath: files.path) {
                let target = ExternalFiles.supportDirectory(ofStoreAt: copy.path)
                try FileManager.default.copyItem(at: files, to: target)
                for name in try FileManager.default.subpathsOfDirectory(atPath: target.path) {
                    try synchronize(target.appending(path: name).path)
                }
                try synchronize(target.path)
            }
            try synchronize(copy.deletingLastPathComponent().path)
        } catch {
            throw failure(path, "\(error)")
        }
    }

    /// Waits until a file or directory is on the disk.
    static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    private static func failure(_ path: String, _ reason: String) -> ObjectStorageError {
        ObjectStorageError(
            .storeReadOnly,
            "“\(path)” cannot be copied before the first save: \(reason). Nothing was saved; check the directory, or save with coreDataWriting: .withoutCopy."
        )
    }
}
