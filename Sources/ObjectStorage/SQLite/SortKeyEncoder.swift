import Foundation
import GRDBSQLite

/// Writes values one after the other so that the bytes compare as SQLite compares the values: by storage
/// class, numbers by their exact value, texts and blobs by their bytes. Texts are bytes to begin with,
/// because those that are not valid UTF-8 are sorted as well.
///
/// Source: "Datatypes In SQLite", section 4.1.
struct SortKeyEncoder {
    private(set) var bytes: [UInt8] = []

    /// The first byte of a value. A descending order turns all the bytes of a value round, so none of these
    /// is the other way round one of the others, or what stands for nothing.
    private enum Class {
        static let number: UInt8 = 1
        static let text: UInt8 = 2
        static let blob: UInt8 = 3
    }

    init() { bytes.reserveCapacity(128) }

    /// Writes a column of a statement's current row.
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
        for place in start..<bytes.count { bytes[place] = ~bytes[place] }
    }

    /// Writes the key of a row, which ends a place.
    mutating func append(key: Int64) { append(bigEndian: UInt64(bitPattern: key) ^ Self.sign) }

    private static let sign: UInt64 = 1 << 63

    // MARK: Numbers

    /// Numbers are compared as floating-point numbers first, which all of SQLite's integers have one of that
    /// is not farther from zero.
    private mutating func append(integer: Int64) {
        let magnitude = integer.magnitude
        let excess = max(
            0, UInt64.bitWidth - magnitude.leadingZeroBitCount - (Double.significandBitCount + 1))
        let rounded = Double((magnitude >> UInt64(excess)) << UInt64(excess))
        append(real: integer < 0 ? -rounded : rounded, exactly: integer)
    }

    private mutating func append(real: Double) { append(real: real, exactly: Int64(exactly: real) ?? 0) }

    /// From 2⁵³ on integers share floating-point numbers and stand in their own order among those that have
    /// the same.
    private mutating func append(real: Double, exactly integer: Int64) {
        bytes.append(Class.number)
        // There are two zeros, which are equal.
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
        for place in start..<bytes.count { bytes[place] = TextCollations.lowercasedASCII(bytes[place]) }
    }

    /// Two zeros end a value, before which any longer one goes on with a byte that is not zero, or with a
    /// zero and what is behind every end.
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
