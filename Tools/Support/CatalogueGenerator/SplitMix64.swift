/// A small random number generator whose every output is fixed by its seed, on every machine and in every
/// release.
///
/// The standard library's `random(in:using:)` and `shuffle(using:)` are not used with it: their algorithms
/// may change between releases, and with them the catalogue that a seed stands for.
///
/// The algorithm is SplitMix64. Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
/// Generators", OOPSLA 2014, with the constants of Vigna's public `splitmix64.c`.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Creates a generator that starts at `seed`. Any value is a good seed, 0 as well.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next 64 random bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// A number in `0..<bound`.
    ///
    /// Takes the high half of the product of 64 random bits and the bound, always from one call of
    /// ``next()``. The numbers are not perfectly uniform: no two probabilities differ by more than 2⁻⁶⁴,
    /// which a test catalogue cannot show.
    ///
    /// - Parameter bound: The number of different results, at least 1.
    package mutating func next(below bound: Int) -> Int {
        precondition(bound > 0, "a random number below \(bound) was asked for")
        return Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// A bijection of 64-bit numbers in which each input bit changes about half of the output bits.
    package static func mixed(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
