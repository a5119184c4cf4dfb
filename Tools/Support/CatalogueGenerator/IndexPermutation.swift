/// A pseudorandom order of the numbers `0..<count` that needs no memory: the number at each position is
/// computed.
///
/// A shuffled array would need 8 bytes for each song. This type keeps a catalogue of ten million songs in
/// constant memory, and any song can be generated without the songs before it.
///
/// It is a Feistel network of four rounds over the smallest even number of bits that holds the count. A
/// result outside the range is put through again ("cycle walking"), at most four times on average. Both steps
/// are bijections, so every number appears exactly once. Source: Black and Rogaway, "Ciphers with Arbitrary
/// Finite Domains", CT-RSA 2002.
package struct IndexPermutation: Hashable, Sendable {
    /// The number of permuted numbers.
    package let count: Int

    private let halfWidth: UInt64
    private let halfMask: UInt64
    private let roundKeys: (UInt64, UInt64, UInt64, UInt64)

    /// Creates the permutation of `0..<count` for `seed`.
    ///
    /// - Parameters:
    ///   - count: The number of numbers to permute, 0 or more.
    ///   - seed: Any number. Different seeds give unrelated orders.
    package init(count: Int, seed: UInt64) {
        precondition(count >= 0, "the count \(count) of a permutation is negative")
        self.count = count
        let bits = count < 2 ? 1 : Int.bitWidth - (count - 1).leadingZeroBitCount
        halfWidth = UInt64((bits + 1) / 2)
        halfMask = (1 << halfWidth) - 1
        var generator = SplitMix64(seed: seed)
        roundKeys = (generator.next(), generator.next(), generator.next(), generator.next())
    }

    /// The number at `position` of the order.
    ///
    /// - Parameter position: A position in `0..<count`.
    /// - Complexity: O(1) on average.
    package subscript(position: Int) -> Int {
        precondition(position >= 0 && position < count, "position \(position) is not in 0..<\(count)")
        var number = UInt64(position)
        repeat {
            number = enciphered(number)
        } while number >= UInt64(count)
        return Int(number)
    }

    private func enciphered(_ number: UInt64) -> UInt64 {
        var left = number >> halfWidth
        var right = number & halfMask
        (left, right) = (right, left ^ (SplitMix64.mixed(right ^ roundKeys.0) & halfMask))
        (left, right) = (right, left ^ (SplitMix64.mixed(right ^ roundKeys.1) & halfMask))
        (left, right) = (right, left ^ (SplitMix64.mixed(right ^ roundKeys.2) & halfMask))
        (left, right) = (right, left ^ (SplitMix64.mixed(right ^ roundKeys.3) & halfMask))
        return (left << halfWidth) | right
    }

    /// Returns whether two permutations put the same numbers in the same order.
    package static func == (lhs: IndexPermutation, rhs: IndexPermutation) -> Bool {
        lhs.count == rhs.count && lhs.roundKeys == rhs.roundKeys
    }

    /// Hashes the properties that ``==(_:_:)`` compares.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(roundKeys.0)
        hasher.combine(roundKeys.1)
        hasher.combine(roundKeys.2)
        hasher.combine(roundKeys.3)
    }
}
