import Crypto
import Foundation
import SectionedFetch
import ToolSupport

/// A file with the rows of an entity or the pairs of a relationship, which is written in large pieces.
final class ExportFile {
    private let directory: String
    private let columns: [(name: String, kind: ExportedValue.Kind)]
    private let format: ExportFormat
    /// The names of the members in JSON, with quotes and colon.
    private let members: [[UInt8]]
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var hash = SHA256()
    /// The description of the file, complete after ``finish()``.
    private(set) var description: ExportManifest.File

    private static let pieceSize = 256 << 10
    /// The size of a row in bytes above which all but short values are in separate files, because the size of
    /// a record is limited.
    private static let largestRow = 300_000

    /// Makes a file with its header.
    ///
    /// - Throws: ``ToolFailure`` if it cannot be made.
    init(
        _ description: ExportManifest.File, in directory: String, format: ExportFormat,
        columns: [(name: String, kind: ExportedValue.Kind)]
    ) throws(ToolFailure) {
        self.description = description
        self.directory = directory
        self.format = format
        self.columns = columns
        members = columns.map { Array(JSONValue.string($0.name).line.utf8) + [UInt8(ascii: ":")] }
        descriptor = try Self.newFile("\(directory)/\(description.name)")
        if let delimiter = format.delimiter {
            let header = columns.enumerated().map { CSVText.field($1.name, isFirstOfFile: $0 == 0) }
            buffer += Array((header.joined(separator: String(delimiter)) + "\n").utf8)
        } else if format == .json {
            buffer.append(UInt8(ascii: "["))
        }
    }

    deinit { close(descriptor) }

    /// Writes a row.
    ///
    /// - Parameter values: The values of all columns.
    /// - Throws: ``ToolFailure`` if the file cannot be written.
    func write(_ values: [StoredValue]) throws(ToolFailure) {
        if format == .json { buffer += Array((description.rows == 0 ? "\n" : ",\n").utf8) }
        if format.delimiter == nil { buffer.append(UInt8(ascii: "{")) }
        let start = buffer.count
        for (position, column) in columns.enumerated() {
            let limit = buffer.count - start > Self.largestRow ? 64 : ExportedValue.largestText
            var value = ExportedValue(
                values[position], column.kind, isCSV: format.delimiter != nil, limit: limit)
            if case .file(let isText, let bytes) = value {
                value = .text(
                    ExportedValue.reference(toFileNamed: try writeValue(bytes), isText: isText))
            }
            if position > 0 { buffer.append(format.delimiter?.asciiValue ?? UInt8(ascii: ",")) }
            append(value, at: position)
        }
        if format.delimiter == nil { buffer.append(UInt8(ascii: "}")) }
        if format != .json { buffer.append(UInt8(ascii: "\n")) }
        description.rows += 1
        if buffer.count >= Self.pieceSize { try flush() }
    }

    private func append(_ value: ExportedValue, at position: Int) {
        guard format.delimiter == nil else {
            switch value {
            case .none, .file: break
            case .literal(let text): buffer += text.utf8
            case .text(let text): buffer += CSVText.field(text, isFirstOfFile: false).utf8
            }
            return
        }
        buffer += members[position]
        switch value {
        case .none, .file: buffer += "null".utf8
        case .literal(let text): buffer += text.utf8
        case .text(let text): buffer += JSONValue.string(text).line.utf8
        }
    }

    /// Writes the rest.
    ///
    /// - Throws: ``ToolFailure`` if the file cannot be written.
    func finish() throws(ToolFailure) {
        if format == .json { buffer += "\n]\n".utf8 }
        try flush()
        description.sha256 = Self.text(of: hash.finalize())
        guard fsync(descriptor) == 0 else { throw Self.failure(description.name) }
    }

    private func flush() throws(ToolFailure) {
        hash.update(data: buffer)
        description.bytes += buffer.count
        try Self.write(buffer, to: descriptor, description.name)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes a value to a separate file, unless an equal value has a file already.
    ///
    /// - Returns: The digest of the value.
    private func writeValue(_ bytes: [UInt8]) throws(ToolFailure) -> String {
        let digest = Self.digest(of: bytes)
        let path = "\(directory)/\(ExportManifest.valuePath(digest))"
        guard access(path, F_OK) != 0 else { return digest }
        let folder = URL(filePath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw Self.failure(folder.path)
        }
        try Self.makeFile(path, bytes)
        return digest
    }

    /// Makes a file with contents.
    ///
    /// - Throws: ``ToolFailure`` if it exists or cannot be written.
    static func makeFile(_ path: String, _ bytes: [UInt8]) throws(ToolFailure) {
        let descriptor = try newFile(path)
        defer { close(descriptor) }
        try write(bytes, to: descriptor, path)
    }

    private static func newFile(_ path: String) throws(ToolFailure) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        return descriptor
    }

    private static func write(
        _ bytes: [UInt8], to descriptor: Int32, _ path: String
    ) throws(ToolFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    private static func failure(_ path: String) -> ToolFailure {
        let reason = String(cString: strerror(errno))
        return ToolFailure(
            "“\(path)” cannot be written: \(reason). No export was made. Check the directory and its free space."
        )
    }

    /// Returns the SHA-256 of a value in hexadecimal digits.
    static func digest(of bytes: some DataProtocol) -> String { text(of: SHA256.hash(data: bytes)) }

    private static func text(of digest: SHA256.Digest) -> String { Array(digest).hexadecimalText }
}
