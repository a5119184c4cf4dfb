import Foundation

/// The bytes of a file, of a pipe, or of standard input.
final class FileInput: ByteInput {
    /// The name of the file in errors.
    let name: String
    /// The name of the file inside the zip archive that the path names after a colon, or nil.
    let member: String?
    /// The size of the file in bytes, or 0 if it is not a regular file.
    let size: Int
    /// Whether any part of the file can be read.
    let isSeekable: Bool
    private(set) var position = 0
    private let descriptor: Int32
    private let isOwned: Bool
    /// The copy, which must not be closed before the last reading.
    private let copy: InputCopy?
    /// The offset of the first byte: a shell may have read a part of its standard input.
    private let base: Int
    /// The bytes of a pipe that were read in advance.
    private var ahead: [UInt8] = []

    /// The path that represents standard input.
    static let standardInput = "-"

    /// Returns the path without the name of a member, and that name.
    static func parts(of path: String) -> (file: String, member: String?) {
        guard !FileManager.default.fileExists(atPath: path), let range = path.range(of: ".zip:") else {
            return (path, nil)
        }
        return (String(path[..<range.lowerBound]) + ".zip", String(path[range.upperBound...]))
    }

    /// Opens a file, or its copy.
    ///
    /// - Throws: ``RecordError`` if the file cannot be opened.
    init(path: String, copy: InputCopy?) throws(RecordError) {
        let (file, member) = Self.parts(of: path)
        self.member = member
        self.copy = copy
        if let copy {
            name = path == Self.standardInput ? "standard input" : path
            descriptor = copy.descriptor
            isOwned = false
        } else if path == Self.standardInput {
            name = "standard input"
            descriptor = STDIN_FILENO
            isOwned = false
        } else {
            name = path
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory) else {
                throw RecordError(unreadable: path, "no such file")
            }
            guard !isDirectory.boolValue else { throw RecordError(unreadable: path, "it is a directory") }
            descriptor = open(file, O_RDONLY | O_CLOEXEC)
            isOwned = true
            guard descriptor >= 0 else {
                let code = errno
                let remedy =
                    code == EMFILE
                    ? "; import fewer files together, or raise the limit of open files with “ulimit -n”" : ""
                throw RecordError(unreadable: path, String(cString: strerror(code)) + remedy)
            }
        }
        // The status of the opened file, because the path may be a symbolic link.
        var status = stat()
        isSeekable = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        base = isSeekable && copy == nil ? max(0, Int(lseek(descriptor, 0, SEEK_CUR))) : 0
        size = isSeekable ? max(0, Int(status.st_size) - base) : 0
    }

    deinit { if isOwned, descriptor >= 0 { close(descriptor) } }

    /// Returns whether a file can be read from its beginning again, as a pipe or a device cannot.
    static func canBeReadAgain(_ path: String) -> Bool {
        var status = stat()
        if path == standardInput {
            return fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }
        // If the path does not exist, opening it reports the error.
        return stat(path, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// Returns the first bytes without consuming them, fewer if the file has fewer.
    func beginning(_ count: Int) throws(RecordError) -> [UInt8] {
        if isSeekable { return try bytes(at: 0, count: min(count, size)) }
        while ahead.count < count {
            let part = try withBuffer(count - ahead.count) { (buffer) throws(RecordError) in
                try readDescriptor(buffer, count - ahead.count)
            }
            guard !part.isEmpty else { break }
            ahead += part
        }
        return Array(ahead.prefix(count))
    }

    /// Returns the bytes at an offset of a seekable file.
    ///
    /// - Throws: ``RecordError`` if the file has fewer.
    func bytes(at offset: Int, count: Int) throws(RecordError) -> [UInt8] {
        try withBuffer(count) { (buffer) throws(RecordError) in
            var done = 0
            while done < count {
                let part = try read(at: offset + done, buffer + done, count - done)
                guard part > 0 else { throw RecordError(unreadable: name, "the file ends too early") }
                done += part
            }
            return done
        }
    }

    /// Reads bytes at an offset of a seekable file, and returns their number, or 0 at the end.
    func read(
        at offset: Int, _ buffer: UnsafeMutablePointer<UInt8>, _ count: Int
    ) throws(RecordError) -> Int {
        try repeated { pread(descriptor, buffer, count, off_t(base + offset)) }
    }

    func read(into buffer: UnsafeMutablePointer<UInt8>, capacity: Int) throws(RecordError) -> Int {
        let count: Int
        if !ahead.isEmpty {
            count = min(capacity, ahead.count)
            for place in 0..<count { buffer[place] = ahead[place] }
            ahead.removeFirst(count)
        } else {
            count = try readDescriptor(buffer, capacity)
        }
        position += count
        return count
    }

    /// Reads from the descriptor, and returns 0 at the end.
    private func readDescriptor(
        _ buffer: UnsafeMutablePointer<UInt8>, _ count: Int
    ) throws(RecordError) -> Int {
        // The descriptor of a copy is shared by several inputs, so its own offset is not used.
        if isSeekable { return try read(at: position, buffer, count) }
        return try repeated { Foundation.read(descriptor, buffer, count) }
    }

    private func repeated(_ call: () -> Int) throws(RecordError) -> Int {
        while true {
            let count = call()
            if count >= 0 { return count }
            guard errno == EINTR else {
                throw RecordError(unreadable: name, String(cString: strerror(errno)))
            }
        }
    }

    private func withBuffer(
        _ count: Int, _ body: (UnsafeMutablePointer<UInt8>) throws(RecordError) -> Int
    ) throws(RecordError) -> [UInt8] {
        guard count > 0 else { return [] }
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        defer { buffer.deallocate() }
        let filled = try body(buffer)
        return Array(UnsafeBufferPointer(start: buffer, count: filled))
    }
}
