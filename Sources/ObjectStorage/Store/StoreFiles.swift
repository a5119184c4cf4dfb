import Foundation

/// The files that hold a store's rows, at one moment.
struct StoreFiles: Equatable, Sendable {
    private struct File: Equatable {
        // An empty file is none: programs that fail to open the store leave some.
        var node: UInt64 = 0
        var size: Int64 = 0
        var seconds: Int = 0
        var nanoseconds: Int = 0

        init(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0, status.st_size > 0 else { return }
            node = UInt64(truncatingIfNeeded: status.st_ino)
            size = Int64(status.st_size)
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            seconds = time.tv_sec
            nanoseconds = time.tv_nsec
        }
    }

    let path: String
    private let database: File
    private let log: File
    private let journal: File

    init(ofStoreAt path: String) {
        self.path = path
        database = File(path)
        log = File(path + "-wal")
        journal = File(path + "-journal")
    }

    /// Whether some committed rows may be in the log alone.
    var hasLog: Bool { log.size > 0 }
    /// Whether a program died in the middle of a write, which only a program that may write can undo.
    var hasJournal: Bool { journal.size > 0 }
}
