/// Encodes values as bytes that are equal exactly if the values are equal, on every machine and in every run.
///
/// Each item is a tag byte, then a length or a fixed number of bytes, little-endian. Swift's `Hasher` is not
/// used, because it differs from run to run.
package struct CanonicalEncoder {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates an encoder that has written nothing.
    package init() {}

    /// Appends text: tag 1, the number of UTF-8 bytes, the bytes.
    package mutating func append(_ text: String) {
        bytes.append(1)
        appendCount(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends an integer: tag 2, eight bytes.
    package mutating func append(_ value: Int64) {
        bytes.append(2)
        appendFixed(UInt64(bitPattern: value))
    }

    /// Appends a Boolean value: tag 3 for false, 4 for true.
    package mutating func append(_ value: Bool) { bytes.append(value ? 4 : 3) }

    /// Appends bytes: tag 5, the number of bytes, the bytes.
    package mutating func append(_ value: [UInt8]) {
        bytes.append(5)
        appendCount(value.count)
        bytes.append(contentsOf: value)
    }

    /// Appends a number by its bit pattern: tag 6, eight bytes.
    package mutating func append(_ value: Double) {
        bytes.append(6)
        appendFixed(value.bitPattern)
    }

    /// Appends a stored value with its storage class; a null value is tag 7.
    package mutating func append(_ value: StoredValue) {
        switch value {
        case .null: bytes.append(7)
        case .integer(let value): append(value)
        case .real(let value): append(value)
        case .text(let value): append(value)
        case .blob(let value): append(value)
        }
    }

    /// Appends the start of a list of `count` items: tag 8, the count.
    package mutating func appendList(count: Int) {
        bytes.append(8)
        appendCount(count)
    }

    private mutating func appendCount(_ count: Int) { appendFixed(UInt64(count)) }

    private mutating func appendFixed(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
