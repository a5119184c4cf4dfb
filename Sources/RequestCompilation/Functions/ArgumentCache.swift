import Foundation
import ObjectModel

/// A cache of values made from constant arguments of an SQL function, searched by the arguments' bytes. A
/// dictionary look-up would take longer than most of the functions, because each call would have to make a
/// text of the bytes.
package struct ArgumentCache<Value> {
    private var entries: [(first: [UInt8], second: [UInt8], value: Value)] = []

    /// The limit of entries, which are searched one by one. It exceeds the number of constants of all
    /// statements in use.
    private static var most: Int { 16 }

    /// Returns the cached value for two texts, or makes it.
    package mutating func value(
        for first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer = .init(start: nil, count: 0),
        making make: (String, String) -> Value
    ) -> Value {
        for entry in entries where Self.isEqual(entry.first, first) && Self.isEqual(entry.second, second) {
            return entry.value
        }
        if entries.count == Self.most { entries.removeFirst() }
        let value = make(String(decoding: first, as: UTF8.self), String(decoding: second, as: UTF8.self))
        entries.append((Array(first), Array(second), value))
        return value
    }

    private static func isEqual(_ known: [UInt8], _ text: UnsafeRawBufferPointer) -> Bool {
        guard known.count == text.count else { return false }
        guard let start = text.baseAddress else { return true }
        return known.withUnsafeBytes { known in
            known.baseAddress.map { memcmp($0, start, text.count) == 0 } ?? true
        }
    }
}
