import Foundation
import GRDB
import SeededBugs

/// Stores whose files or directory cannot be written.
enum UnwritableStore {
    /// Runs a closure that opens a store, and again for reading alone if the store turns out to be one that
    /// cannot be written.
    ///
    /// - Parameter body: Opens with the options that it gets.
    /// - Throws: What `body` threw, the first time it failed for such a reason.
    static func opening<Output>(
        _ path: String, _ options: StoreOptions, _ body: (StoreOptions) throws -> Output
    ) throws -> Output {
        do {
            return try body(options)
        } catch let error as DatabaseError {
            guard let access = access(path, after: error) else { throw error }
            var options = options
            options.isReadOnly = true
            options.opensFileForWriting = false
            options.connections = .single
            options.access = access
            do {
                return try body(options)
            } catch is DatabaseError {
                throw error
            }
        }
    }

    /// How to get at a store's file after a failure; nil if it is no matter of writing.
    private static func access(_ path: String, after error: DatabaseError) -> FileAccess? {
        switch error.resultCode {
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_PERM: break
        default: return nil
        }
        // SQLite follows links, and has the log beside the file that they lead to.
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        let target = String(cString: resolved)
        let files = StoreFiles(ofStoreAt: target)
        guard Foundation.access(target, R_OK) == 0, !files.hasJournal,
            isUnwritable(target) || isFull(target)
        else { return nil }
        if SeededBug.logPassedOver.isPlanted { return .alone(files) }
        return files.hasLog ? .aloneWithLog(files) : .alone(files)
    }

    private static func directory(of path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    private static func isUnwritable(_ path: String) -> Bool {
        Foundation.access(path, W_OK) != 0 || Foundation.access(directory(of: path), W_OK) != 0
    }

    /// Whether the disk has no room for the log's index.
    static func isFull(_ path: String) -> Bool {
        let trial = directory(of: path) + "/.sc-room-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let descriptor = open(trial, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno == ENOSPC || errno == EDQUOT }
        defer { close(descriptor) }
        unlink(trial)
        let page = [UInt8](repeating: 1, count: 4_096)
        for number in 0..<indexPages {
            guard pwrite(descriptor, page, page.count, off_t(number * page.count)) == page.count else {
                return errno == ENOSPC || errno == EDQUOT
            }
        }
        return false
    }

    /// SQLite makes an index 32 KiB large at first.
    private static let indexPages = 12
}
