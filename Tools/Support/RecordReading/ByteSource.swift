import Foundation
import Mutants

/// A file that is read forward in large pieces, with a window of the bytes that are not yet consumed.
///
/// The window grows if a record does not fit, up to a limit, so memory does not depend on the file's size.
final class ByteSource {
    private static let pieceSize = 256 << 10
    let path: String
    private let descriptor: Int32
    /// The window's bytes. The bytes before `start` are consumed.
    private(set) var bytes: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var start = 0
    private(set) var end = 0
    private(set) var isAtEndOfFile = false
    /// The offset in the file of the window's first byte.
    private var windowOffset = 0
    /// The size of the file in bytes, or 0 if it is not a regular file.
    let fileSize: Int
    /// The largest allowed size of the file, in bytes.
    private let maximumSize: Int

    /// Opens a file.
    ///
    /// - Parameter maximumSize: The largest allowed size of the file in bytes, or nil for no limit.
    /// - Throws: ``RecordError`` if the file cannot be opened or is too large.
    init(path: String, maximumSize: Int? = nil) throws(RecordError) {
        self.path = path
        self.maximumSize = Mutant.noSizeLimit.isPlanted ? .max : maximumSize ?? .max
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw RecordError(
                file: path, line: 0, reason: .unreadable("no such file"), isFatal: true)
        }
        guard !isDirectory.boolValue else {
            throw RecordError(file: path, line: 0, reason: .unreadable("it is a directory"), isFatal: true)
        }
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let detail = String(cString: strerror(errno))
            throw RecordError(file: path, line: 0, reason: .unreadable(detail), isFatal: true)
        }
        // The status of the opened file, because the path may be a symbolic link.
        var status = stat()
        let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        fileSize = isRegular ? Int(status.st_size) : 0
        capacity = Self.pieceSize
        bytes = .allocate(capacity: capacity)
        try checkSize(fileSize)
    }

    /// Creates a source of bytes in memory.
    ///
    /// - Parameter path: The name of the contents in errors.
    init(contents: [UInt8], path: String) {
        self.path = path
        maximumSize = .max
        descriptor = -1
        fileSize = contents.count
        capacity = contents.count
        bytes = .allocate(capacity: capacity)
        _ = UnsafeMutableBufferPointer(start: bytes, count: capacity).initialize(from: contents)
        end = contents.count
        isAtEndOfFile = true
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        bytes.deallocate()
    }

    /// The number of bytes in the window that are not consumed.
    var available: Int { end - start }
    /// The offset in the file of the first byte that is not consumed.
    var offset: Int { windowOffset + start }

    /// Consumes bytes of the window.
    func consume(_ count: Int) { start += count }

    /// Reads more bytes into the window, and returns false at the end of the file.
    ///
    /// Bytes that are not consumed may move in memory.
    func fill() throws(RecordError) -> Bool {
        guard !isAtEndOfFile else { return false }
        if start > 0 {
            bytes.update(from: bytes + start, count: end - start)
            windowOffset += start
            end -= start
            start = 0
        }
        if capacity - end < Self.pieceSize {
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
            larger.update(from: bytes, count: end)
            bytes.deallocate()
            bytes = larger
            capacity *= 2
        }
        while true {
            let count = read(descriptor, bytes + end, Self.pieceSize)
            if count > 0 {
                end += count
                // The size of a pipe, or of a growing file, is not known beforehand.
                try checkSize(windowOffset + end)
                return true
            }
            if count == 0 {
                isAtEndOfFile = true
                return false
            }
            guard errno == EINTR else {
                let detail = String(cString: strerror(errno))
                throw RecordError(file: path, line: 0, reason: .unreadable(detail), isFatal: true)
            }
        }
    }

    private func checkSize(_ size: Int) throws(RecordError) {
        guard size > maximumSize else { return }
        throw RecordError(
            file: path, line: 0, reason: .limit("the file has more than \(maximumSize) bytes"), isFatal: true)
    }

    /// Skips the byte order mark of UTF-8, and refuses the marks of other encodings.
    func skipByteOrderMark() throws(RecordError) {
        while available < 4, try fill() {}
        let first = UnsafeBufferPointer(start: bytes + start, count: min(4, available))
        if first.starts(with: [0xEF, 0xBB, 0xBF]) {
            consume(3)
        } else if first.elementsEqual([0xFF, 0xFE, 0, 0]) || first.elementsEqual([0, 0, 0xFE, 0xFF]) {
            // The first mark is also that of UTF-16 followed by a NUL, with which no text begins.
            throw RecordError(file: path, line: 1, reason: .encoding("UTF-32"), isFatal: true)
        } else if first.starts(with: [0xFF, 0xFE]) || first.starts(with: [0xFE, 0xFF]) {
            throw RecordError(file: path, line: 1, reason: .encoding("UTF-16"), isFatal: true)
        }
    }
}
