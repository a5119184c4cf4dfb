import Foundation

/// What was made for constant arguments of an SQL function, found by their bytes: looking it up in a
/// dictionary would take longer than most of the functions do, because a text would have to be made of them in
/// each call.
struct ArgumentCache<Value> {
    private var entries: [(first: [UInt8], second: [UInt8], value: Value)] = []

    /// More than the constants of all statements that are in use, which are looked through one by one.
    private static var most: Int { 16 }

    /// What was made for two texts, or is now.
    mutating func value(
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
