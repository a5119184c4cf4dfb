import Foundation

/// The sort key of a row: bytes that compare as the rows do. They end with the row's key, which orders rows
/// that are equal in all values of the order.
package struct SortKey: Sendable {
    /// The row's key.
    package let key: Int64
    /// The bytes. No sort key is a prefix of another one of the same order.
    package let bytes: [UInt8]

    /// Returns whether the row comes before another one.
    package func precedes(_ other: SortKey) -> Bool {
        bytes.withUnsafeBytes { bytes in other.bytes.withUnsafeBytes { Self.precedes(bytes, $0) } }
    }

    /// Returns whether the bytes of one sort key come before those of another.
    package static func precedes(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        guard let start = first.baseAddress, let other = second.baseAddress else {
            return first.count < second.count
        }
        let order = memcmp(start, other, min(first.count, second.count))
        return order != 0 ? order < 0 : first.count < second.count
    }
}
