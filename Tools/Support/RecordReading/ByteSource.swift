import Foundation
import Mutants

/// A file that is read forward in large pieces, with a window of the bytes that are not yet consumed.
///
/// The window grows if a record does not fit, up to a limit, so memory does not depend on the file's size.
final class ByteSource {
    private static let pieceSize = 256 << 10
    /// The name of the file in errors.
    let path: String
    /// The encoding from which the bytes are converted, or nil if they are those of the file.
    let encoding: String?
    private let input: (any ByteInput)?
    /// Whether the window has the bytes of the file, neither decompressed nor converted.
    private let isPlain: Bool
    /// The window's bytes. The bytes before `start` are consumed.
    private(set) var bytes: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var start = 0
    private(set) var end = 0
    private(set) var isAtEndOfFile = false
    /// The offset of the window's first byte.
    private var windowOffset = 0
    /// The size of the file in bytes, or 0 if it is not a regular file.
    let fileSize: Int
    /// The largest allowed size of the file and of its decompressed bytes, or nil for no limit.
    private let maximumSize: Int?

    /// Opens a file, or its copy. Files of gzip and members of zip archives are decompressed, and bytes of
    /// another encoding are converted; then offsets are those of the resulting bytes.
    ///
    /// - Throws: ``RecordError`` if the file cannot be opened or is too large.
    init(path: String, options: RecordOptions = RecordOptions()) throws(RecordError) {
        let file = try FileInput(path: path, copy: options.copy)
        self.path = file.name
        maximumSize = Mutant.noSizeLimit.isPlanted ? nil : options.maximumFileSize
        encoding = options.encoding
        let beginning = try file.beginning(4)
        var contents: any ByteInput
        if beginning.starts(with: [0x1F, 0x8B, 8]) {
            contents = try InflatedInput(file, format: .gzip, name: file.name)
        } else if beginning.elementsEqual([0x50, 0x4B, 3, 4]) {
            let seekable =
                file.isSeekable
                ? file
                : try FileInput(
                    path: path, copy: InputCopy(of: file, maximumSize: options.maximumFileSize))
            contents = try ZipArchive(seekable).contents(of: options.member ?? file.member)
        } else {
            guard file.member == nil, options.member == nil else {
                throw RecordError(unreadable: file.name, "it is not a zip archive, and has no members")
            }
            contents = file
        }
        let isStored = contents === file
        // The readers check UTF-8, and bad records keep their bytes.
        let isUTF8 = ["UTF-8", "UTF8"].contains(encoding?.uppercased())
        if let digest = options.digest { contents = DigestedInput(contents, digest) }
        input =
            if let encoding, !isUTF8 || options.replacesInvalidUTF8 {
                try ConvertedInput(
                    contents, from: encoding, replacesInvalid: options.replacesInvalidUTF8, name: file.name)
            } else { contents }
        isPlain = isStored && !(input is ConvertedInput)
        fileSize = file.size
        capacity = Self.pieceSize
        bytes = .allocate(capacity: capacity)
        guard let maximumSize, fileSize > maximumSize else { return }
        throw Self.excess(maximumSize, path: self.path)
    }

    /// Creates a source of bytes in memory.
    ///
    /// - Parameter path: The name of the contents in errors.
    init(contents: [UInt8], path: String) {
        self.path = path
        maximumSize = nil
        encoding = nil
        input = nil
        isPlain = true
        fileSize = contents.count
        capacity = contents.count
        bytes = .allocate(capacity: capacity)
        _ = UnsafeMutableBufferPointer(start: bytes, count: capacity).initialize(from: contents)
        end = contents.count
        isAtEndOfFile = true
    }

    deinit { bytes.deallocate() }

    /// Returns the offset in the file, of ``fileSize`` bytes, for an offset of the bytes read; an estimate if
    /// these are decompressed or converted.
    func fileOffset(of offset: Int) -> Int {
        guard !isPlain, let input, windowOffset + end > 0 else { return offset }
        if isAtEndOfFile, offset == windowOffset + end { return fileSize }
        return Int(Double(offset) * Double(input.position) / Double(windowOffset + end))
    }

    /// The number of bytes in the window that are not consumed.
    var available: Int { end - start }
    /// The offset of the first byte that is not consumed.
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
        let count = try input?.read(into: bytes + end, capacity: Self.pieceSize) ?? 0
        guard count > 0 else {
            isAtEndOfFile = true
            return false
        }
        end += count
        // The size of a pipe, of a growing file, or of decompressed bytes is not known beforehand.
        try checkSize(windowOffset + end)
        return true
    }

    /// Returns the reason of an error for a byte that is not text, at an offset.
    func invalidText(at offset: Int) -> RecordError.Reason {
        encoding.map { .invalidText(encoding: $0, byteOffset: offset) } ?? .invalidUTF8(byteOffset: offset)
    }

    /// The number of decompressed bytes above which their number is limited by that of the compressed ones.
    private static let freeSize = 64 << 20
    /// The largest number of decompressed bytes for each compressed one.
    private static let maximumRatio = 200

    private func checkSize(_ size: Int) throws(RecordError) {
        if let maximumSize {
            guard size > maximumSize else { return }
            throw Self.excess(maximumSize, path: path)
        }
        guard !isPlain, size > Self.freeSize, let input, size / Self.maximumRatio > input.position else {
            return
        }
        let problem =
            "the compressed file becomes more than \(Self.maximumRatio) times as large; pass --max-file-size if this is intended"
        throw RecordError(file: path, line: 0, reason: .limit(problem), isFatal: true)
    }

    private static func excess(_ size: Int, path: String) -> RecordError {
        RecordError(
            file: path, line: 0, reason: .limit("the file has more than \(size) bytes"), isFatal: true)
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

    /// Skips lines, each with its line end, and returns their number, which is smaller at the end of the
    /// file.
    func skipLines(_ count: Int) throws(RecordError) -> Int {
        var skipped = 0
        while skipped < count {
            if available == 0, try !fill() { break }
            try skipLine()
            skipped += 1
        }
        return skipped
    }

    /// Skips the rest of a line, with its line end.
    func skipLine() throws(RecordError) {
        while true {
            if available == 0, try !fill() { return }
            let byte = bytes[start]
            consume(1)
            if byte == 0x0A { return }
            guard byte == 0x0D else { continue }
            if available == 0, try !fill() { return }
            if bytes[start] == 0x0A { consume(1) }
            return
        }
    }

    /// Returns whether the next bytes, which are not consumed, are those of a text.
    func begins(with text: [UInt8]) throws(RecordError) -> Bool {
        while available < text.count, try fill() {}
        return UnsafeBufferPointer(start: bytes + start, count: available).starts(with: text)
    }
}
