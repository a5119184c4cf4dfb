import Foundation
import GRDB
import GRDBSQLite
import Mutants

/// The state of a store's files: the file system's record of the main file, and the last commit of the
/// write-ahead log.
///
/// A commit writes one of the files. The file system records the time of each write to the main file, so
/// equal states have equal data, unless the file was written again within one tick of the clock. While that
/// is possible, and on file systems that do not record times themselves, ``doubt`` has the reason. The log is
/// compared by its contents: the checksum of a commit covers all frames before it, and each restart of the
/// log changes its salts.
///
/// The main file is not opened, because closing it would drop SQLite's locks. SQLite does not lock the log.
///
/// Source: "WAL-mode File Format", sqlite.org/walformat.html.
struct StoreFiles: Sendable {
    private let main: FileRecord
    private let log: LogCommit
    /// The reason why an equal state may have different data; nil if its data are equal.
    let doubt: String?

    /// Reads the state of the files.
    ///
    /// - Parameter path: The path of the main file, which may be a symbolic link.
    /// - Complexity: O(log *n*) for *n* frames in the log; about ten microseconds.
    init(_ path: String) {
        guard let path = SymbolicLinks.target(of: path) else {
            (main, log, doubt) = (FileRecord(path), .none, "the store has no file")
            return
        }
        main = FileRecord(path)
        log = Mutant.logOfFilesLeftOut.isPlanted ? .none : LogCommit(path + "-wal")
        doubt =
            if !main.exists {
                "the store has no file"
            } else if !FileRecord.hasTrustedTimes(path) {
                "the file system does not record the time of each write"
            } else if Self.hasHotJournal(path) {
                "a transaction is in progress or was interrupted"
            } else {
                main.doubt ?? log.doubt
            }
    }

    /// Returns whether a rollback journal has the pages of an unfinished transaction. A journal that is kept
    /// after a commit has a header of zeros.
    private static func hasHotJournal(_ path: String) -> Bool {
        guard let header = LogCommit.read(path + "-journal", count: 8, at: 0) else { return false }
        return header.contains { $0 != 0 }
    }

    /// The identity of the main file as bytes.
    var identity: [UInt8] {
        var encoder = CanonicalEncoder()
        main.appendIdentity(to: &encoder)
        return encoder.bytes
    }

    /// The state as bytes, which are equal for equal states.
    var bytes: [UInt8] {
        var encoder = CanonicalEncoder()
        main.append(to: &encoder)
        encoder.append(log.bytes)
        return encoder.bytes
    }
}

/// The files that a connection reads.
extension StoreFiles {
    /// Returns the position of a connection in its write-ahead log: the header of the index of the log, which
    /// each commit changes; empty without a log.
    ///
    /// If the positions before and after the beginning of a transaction are equal, the snapshot has this
    /// position.
    static func position(of connection: OpaquePointer?) -> [UInt8] {
        // Without a log, SQLite would create an index.
        guard !logHeader(readBy: connection).isEmpty else { return [] }
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            let map = methods.pointee.xShmMap
        else { return [] }
        var region: UnsafeMutableRawPointer?
        let code = withUnsafeMutablePointer(to: &region) { pointer in
            pointer.withMemoryRebound(to: (UnsafeMutableRawPointer?).self, capacity: 1) {
                map(file, 0, 32_768, 0, $0)
            }
        }
        guard code == SQLITE_OK, let region else { return [] }
        return Array(UnsafeRawBufferPointer(start: region, count: 48))
    }

    /// Returns the number of frames that readers see at a position; nil without a log.
    private static func frameCount(of position: [UInt8]) -> UInt32? {
        position.count < 20
            ? nil : position.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self) }
    }

    /// Returns the header of the log that a connection reads; empty without a log.
    ///
    /// A program may delete the log while it is used: the connection then reads a file without a name.
    private static func logHeader(readBy connection: OpaquePointer?) -> [UInt8] {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard
            sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK,
            let file, let read = file.pointee.pMethods?.pointee.xRead
        else { return [] }
        var header = [UInt8](repeating: 0, count: LogCommit.headerCount)
        let code = header.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32($0.count), 0) }
        return code == SQLITE_OK && LogCommit.isHeader(header) ? header : []
    }

    /// Returns the reason why a connection reads data other than those of these files; nil if it reads these
    /// files.
    func difference(from connection: OpaquePointer?) -> String? {
        var hasMoved: CInt = 0
        let code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard code == SQLITE_OK, hasMoved == 0 else { return "the store's file was replaced" }
        let header = Self.logHeader(readBy: connection)
        guard header == log.header else { return "the write-ahead log was replaced" }
        guard let count = Self.frameCount(of: Self.position(of: connection)) else { return nil }
        return Int64(count) == log.frameCount ? nil : "a commit is in progress"
    }
}

/// The last commit of a write-ahead log.
private struct LogCommit: Sendable {
    /// The header of the log; empty without a log.
    let header: [UInt8]
    /// The number of frames up to the last commit.
    let frameCount: Int64
    /// The header of the commit's frame, which has the checksum of all frames up to it.
    private let frame: [UInt8]
    /// The reason why the commit was not found.
    let doubt: String?

    static let none = LogCommit(header: [], frameCount: 0, frame: [], doubt: nil)
    static let headerCount = 32
    private static let frameHeaderCount = 24
    /// The greatest number of frames after the last commit that are examined.
    private static let mostUncommitted: Int64 = 4_096

    private init(header: [UInt8], frameCount: Int64, frame: [UInt8], doubt: String?) {
        self.header = header
        self.frameCount = frameCount
        self.frame = frame
        self.doubt = doubt
    }

    /// The commit as bytes; empty without a log.
    var bytes: [UInt8] {
        header.isEmpty ? [] : header + withUnsafeBytes(of: frameCount.littleEndian) { Array($0) } + frame
    }

    /// Finds the last commit of the log at a path.
    ///
    /// Frames that were written since the last restart of the log have the salts of its header and come
    /// first. The frames after them are older.
    init(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let isMissing = errno == ENOENT
            self.init(
                header: [], frameCount: 0, frame: [],
                doubt: isMissing ? nil : "the write-ahead log cannot be read")
            return
        }
        defer { close(descriptor) }
        guard let header = Self.read(descriptor, count: Self.headerCount, at: 0), Self.isHeader(header) else {
            self = .none
            return
        }
        let size = Int64(lseek(descriptor, 0, SEEK_END)) - Int64(Self.headerCount)
        let frameSize =
            header[8..<12].reduce(Int64(0)) { $0 << 8 | Int64($1) } + Int64(Self.frameHeaderCount)
        func frame(_ number: Int64) -> [UInt8] {
            Self.read(
                descriptor, count: Self.frameHeaderCount, at: Int64(Self.headerCount) + number * frameSize)
                ?? []
        }
        // The number of frames with the salts of the header.
        var (low, high) = (Int64(0), max(0, size / frameSize))
        while low < high {
            let middle = (low + high) / 2
            if frame(middle).dropFirst(8).prefix(8) == header[16..<24] {
                low = middle + 1
            } else {
                high = middle
            }
        }
        var count = low
        while count > 0, low - count <= Self.mostUncommitted {
            // The number of pages after the commit; zero for a frame that is not the last of a transaction.
            let found = frame(count - 1)
            if found.dropFirst(4).prefix(4).contains(where: { $0 != 0 }) {
                self.init(header: header, frameCount: count, frame: found, doubt: nil)
                return
            }
            count -= 1
        }
        self.init(
            header: header, frameCount: 0, frame: [],
            doubt: count == 0 ? nil : "the write-ahead log has a long unfinished transaction")
    }

    /// Returns whether bytes are the header of a write-ahead log.
    static func isHeader(_ bytes: [UInt8]) -> Bool {
        bytes.count == headerCount && bytes.starts(with: [0x37, 0x7F, 0x06]) && bytes[3] & 0xFE == 0x82
    }

    /// Returns the bytes of the file at a path; nil if it has fewer.
    static func read(_ path: String, count: Int, at offset: Int64) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return read(descriptor, count: count, at: offset)
    }

    private static func read(_ descriptor: Int32, count: Int, at offset: Int64) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
        return found == count ? bytes : nil
    }
}
