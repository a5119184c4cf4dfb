/// A small random number generator whose outputs depend only on its seed, on every machine and in every
/// release.
///
/// The standard library's `random(in:using:)` and `shuffle(using:)` are not used with it, because their
/// algorithms may change between releases and would change the catalogue of a seed.
///
/// The algorithm is SplitMix64. Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
/// Generators", OOPSLA 2014, with the constants of Vigna's public `splitmix64.c`.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Creates a generator with a seed. Any value is a good seed, including 0.
    package init(seed: UInt64) {
        state = seed
    }

    /// Returns the next 64 random bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// Returns a number in `0..<bound`.
    ///
    /// The number is the high half of the product of the bound and 64 random bits from one call of
    /// ``next()``. The numbers are not perfectly uniform: probabilities differ by up to 2⁻⁶⁴, which is not
    /// noticeable in a test catalogue.
    ///
    /// - Parameter bound: The number of different results, at least 1.
    package mutating func next(below bound: Int) -> Int {
        precondition(bound > 0, "the bound \(bound) of a random number is not positive")
        return Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Returns the image of a 64-bit number under a bijection in which each input bit changes about half of
    /// the output bits.
    package static func mixed(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
