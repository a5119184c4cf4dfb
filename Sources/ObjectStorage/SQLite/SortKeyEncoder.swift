import Foundation
import GRDBSQLite

/// Encodes a sequence of values as bytes that compare as SQLite compares the values: by storage class,
/// numbers by their exact value, texts and blobs by their bytes. Texts are processed as bytes, because
/// invalid UTF-8 is sorted as well.
///
/// Source: "Datatypes In SQLite", section 4.1.
struct SortKeyEncoder {
    private(set) var bytes: [UInt8] = []

    /// The first byte of a value. A descending order inverts all bytes of a value, so the inverse of one of
    /// these bytes must not equal another one, or the byte of a missing value.
    private enum Class {
        static let number: UInt8 = 1
        static let text: UInt8 = 2
        static let blob: UInt8 = 3
    }

    init() { bytes.reserveCapacity(128) }

    /// Appends a column of a statement's current row.
    mutating func append(_ statement: SQLiteStatement, column: Int, _ term: RowOrder.Term) {
        let start = bytes.count
        switch statement.storageClass(column) {
        case SQLITE_INTEGER: append(integer: statement.integer(column))
        case SQLITE_FLOAT: append(real: statement.real(column))
        case SQLITE_TEXT where term.ignoresCase: append(folded: statement.textBytes(column))
        case SQLITE_TEXT: append(statement.textBytes(column), Class.text)
        case SQLITE_BLOB: append(statement.blobBytes(column), Class.blob)
        default:
            bytes.append(term.areNullsFirst ? .min : .max)
            return
        }
        guard !term.isAscending else { return }
        for index in start..<bytes.count { bytes[index] = ~bytes[index] }
    }

    /// Appends the key of a row, which ends a sort key.
    mutating func append(key: Int64) { append(bigEndian: UInt64(bitPattern: key) ^ Self.sign) }

    private static let sign: UInt64 = 1 << 63

    // MARK: Numbers

    /// Appends an integer after its nearest floating-point number that is not farther from zero, because
    /// numbers are compared as floating-point numbers first.
    private mutating func append(integer: Int64) {
        let magnitude = integer.magnitude
        let excess = max(
            0, UInt64.bitWidth - magnitude.leadingZeroBitCount - (Double.significandBitCount + 1))
        let rounded = Double((magnitude >> UInt64(excess)) << UInt64(excess))
        append(real: integer < 0 ? -rounded : rounded, exactly: integer)
    }

    private mutating func append(real: Double) { append(real: real, exactly: Int64(exactly: real) ?? 0) }

    /// Appends a number. From 2⁵³ on, several integers share a floating-point number, and are ordered among
    /// themselves by their own values.
    private mutating func append(real: Double, exactly integer: Int64) {
        bytes.append(Class.number)
        // The two floating-point zeros are equal.
        let bits = (real == 0 ? 0 : real).bitPattern
        append(bigEndian: bits & Self.sign == 0 ? bits | Self.sign : ~bits)
        if real.magnitude >= 0x1p53 { append(bigEndian: UInt64(bitPattern: integer) ^ Self.sign) }
    }

    private mutating func append(bigEndian number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    // MARK: Texts and blobs

    private mutating func append(folded text: UnsafeRawBufferPointer) {
        guard text.allSatisfy({ $0 < 0x80 }) else {
            var folded = TextFolding.fold(String(decoding: text, as: UTF8.self), .ignoringCase)
            folded.withUTF8 { append(UnsafeRawBufferPointer($0), Class.text) }
            return
        }
        let start = bytes.count
        append(text, Class.text)
        for index in start..<bytes.count { bytes[index] = TextCollations.lowercasedASCII(bytes[index]) }
    }

    /// Appends a text or a blob, which two zero bytes end. At their position a longer value has a byte other
    /// than zero, or a zero byte followed by the largest byte.
    private mutating func append(_ value: UnsafeRawBufferPointer, _ storageClass: UInt8) {
        bytes.append(storageClass)
        var rest = value
        while let start = rest.baseAddress, let zero = memchr(start, 0, rest.count) {
            let end = UnsafeRawPointer(zero) - start + 1
            bytes.append(contentsOf: rest[..<end])
            bytes.append(.max)
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
        bytes.append(contentsOf: rest)
        bytes.append(0)
        bytes.append(0)
    }
}
