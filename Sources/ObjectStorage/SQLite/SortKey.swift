import Foundation

/// Where a row stands in an order: bytes that compare as the rows do, and the key, which decides between rows
/// that are equal in all that is sorted by and is the last of the bytes.
package struct SortKey: Sendable {
    /// The row's key.
    package let key: Int64
    /// The bytes, of which those of no place begin another's.
    package let bytes: [UInt8]

    /// Whether the row stands before another.
    package func precedes(_ other: SortKey) -> Bool {
        bytes.withUnsafeBytes { bytes in other.bytes.withUnsafeBytes { Self.precedes(bytes, $0) } }
    }

    /// Whether the bytes of one place are before those of another.
    package static func precedes(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        guard let start = first.baseAddress, let other = second.baseAddress else {
            return first.count < second.count
        }
        let order = memcmp(start, other, min(first.count, second.count))
        return order != 0 ? order < 0 : first.count < second.count
    }
}
