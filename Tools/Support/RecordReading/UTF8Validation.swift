import Foundation

/// Validation of UTF-8 according to RFC 3629 and table 3-7 of the Unicode Standard.
///
/// The standard library's validation reports the position of the first error only from macOS 26 on.
enum UTF8Validation {
    /// The highest bit of each of eight bytes.
    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    /// The lowest bit of each of eight bytes.
    private static let lowBits: UInt64 = 0x0101_0101_0101_0101

    /// Returns whether all bytes are ASCII and none is NUL, so that no further check is necessary.
    ///
    /// - Complexity: O(*n*), eight bytes at a time.
    static func isPlain(_ bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
        let raw = UnsafeRawPointer(bytes)
        var position = 0
        // A byte that is 0 or at least 0x80 sets its highest bit here. A borrow by the lower byte sets a bit
        // only if that byte was 0 itself.
        var marks: UInt64 = 0
        while position + 8 <= count {
            let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            marks |= word | (word &- lowBits)
            position += 8
        }
        guard marks & highBits == 0 else { return false }
        while position < count {
            guard bytes[position] &- 1 < 0x7F else { return false }
            position += 1
        }
        return true
    }

    /// Returns the position of the first NUL, or nil if no byte is NUL.
    ///
    /// - Complexity: O(*n*).
    static func firstNUL(_ bytes: UnsafePointer<UInt8>, count: Int) -> Int? {
        memchr(bytes, 0, count).map { UnsafeRawPointer($0) - UnsafeRawPointer(bytes) }
    }

    /// Returns the position of the first byte of the first invalid sequence, or nil if all bytes are UTF-8.
    ///
    /// - Complexity: O(*n*).
    static func firstInvalid(_ bytes: UnsafePointer<UInt8>, count: Int) -> Int? {
        let raw = UnsafeRawPointer(bytes)
        var position = 0
        while position < count {
            if position + 8 <= count,
                raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) & highBits == 0
            {
                position += 8
                continue
            }
            let first = bytes[position]
            if first < 0x80 {
                position += 1
                continue
            }
            guard let (length, second) = shape(first), position + length <= count,
                second.contains(bytes[position + 1])
            else { return position }
            for following in 2..<max(2, length) where bytes[position + following] & 0xC0 != 0x80 {
                return position
            }
            position += length
        }
        return nil
    }

    /// Returns the length of the sequence that begins with a byte, and the range of its second byte. The
    /// first two bytes determine overlong forms, surrogates and values beyond U+10FFFF.
    private static func shape(_ first: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
        switch first {
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        default: nil
        }
    }
}
