#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension CatalogueGenerator {
    /// The names of the CSV columns, in order.
    package static let columnNames = [
        "key", "title", "artist", "album", "year", "genre", "section", "duration", "added",
    ]

    /// Writes the catalogue as CSV according to RFC 4180: UTF-8 without a byte order mark, a header, CRLF
    /// after each record, quotes around the fields that need them.
    ///
    /// - Parameter write: Called in order with pieces of about 256 KiB. The bytes are valid only during the
    ///   call.
    /// - Throws: The first error of `write`.
    package func writeCSV<Failure: Error>(
        with write: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        let pieceSize = 256 * 1_024
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieceSize + 4_096)
        for (position, name) in Self.columnNames.enumerated() {
            if position > 0 {
                bytes.append(UInt8(ascii: ","))
            }
            bytes.append(contentsOf: name.utf8)
        }
        bytes.append(contentsOf: "\r\n".utf8)
        for song in self {
            song.appendCSV(to: &bytes)
            if bytes.count >= pieceSize {
                try write(bytes.span.bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try write(bytes.span.bytes)
    }

    /// Writes the catalogue to a CSV file, replacing its content if the file exists.
    ///
    /// - Parameter path: The file, or a device such as `/dev/stdout`.
    /// - Throws: ``CatalogueFileError``. The file keeps what was written before the error.
    package func writeCSV(to path: String) throws(CatalogueFileError) {
        guard let file = fopen(path, "wb") else {
            throw CatalogueFileError(path: path, systemErrorCode: errno)
        }
        do throws(CatalogueFileError) {
            try writeCSV { bytes throws(CatalogueFileError) in
                try Self.write(bytes, to: file, path: path)
            }
        } catch {
            fclose(file)
            throw error
        }
        // Closing writes buffered data, so a full disk may be reported only here.
        guard fclose(file) == 0 else {
            throw CatalogueFileError(path: path, systemErrorCode: errno)
        }
    }

    private static func write(
        _ bytes: RawSpan, to file: UnsafeMutablePointer<FILE>, path: String
    ) throws(CatalogueFileError) {
        let count = bytes.byteCount
        let written = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, count, file) }
        guard written == count else {
            throw CatalogueFileError(path: path, systemErrorCode: errno)
        }
    }
}

extension Song {
    /// Appends the song as one CSV record, in the order of ``CatalogueGenerator/columnNames``.
    fileprivate func appendCSV(to bytes: inout [UInt8]) {
        bytes.append(digitsOf: Int(key))
        bytes.appendField(title)
        bytes.appendField(artist)
        bytes.appendField(album)
        bytes.append(UInt8(ascii: ","))
        bytes.append(digitsOf: year)
        bytes.appendField(genre)
        bytes.appendField(section)
        bytes.append(UInt8(ascii: ","))
        bytes.append(digitsOf: durationInSeconds)
        bytes.append(UInt8(ascii: ","))
        appendAddedText(to: &bytes)
        bytes.append(UInt8(ascii: "\r"))
        bytes.append(UInt8(ascii: "\n"))
    }
}

extension [UInt8] {
    /// Appends a comma and then `text`, in quotes if it holds a comma, a quote or a line end (RFC 4180, 2.6).
    fileprivate mutating func appendField(_ text: String) {
        append(UInt8(ascii: ","))
        let quote = UInt8(ascii: "\"")
        let needsQuotes = text.utf8.contains { byte in
            byte == quote || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\r")
                || byte == UInt8(ascii: "\n")
        }
        guard needsQuotes else {
            append(contentsOf: text.utf8)
            return
        }
        append(quote)
        for byte in text.utf8 {
            if byte == quote {
                append(quote)
            }
            append(byte)
        }
        append(quote)
    }
}

/// A catalogue file that could not be written.
package struct CatalogueFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path that was passed to the function.
    package let path: String
    /// The system's error number (`errno`).
    package let systemErrorCode: Int32

    /// A sentence that describes the error.
    package var description: String {
        "the catalogue cannot be written to \(path): \(String(cString: strerror(systemErrorCode)))"
    }
}
