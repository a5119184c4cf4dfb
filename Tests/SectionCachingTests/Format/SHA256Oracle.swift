/// SHA-256 and HMAC-SHA256 as specified in FIPS 180-4 and RFC 2104, slow and independent of the library's.
enum SHA256Oracle {
    /// The fractional parts of the cube roots of the first 64 primes, computed rather than copied.
    private static let constants: [UInt32] = primes(64).map { fraction(of: $0, root: 3) }
    private static let start: [UInt32] = primes(8).map { fraction(of: $0, root: 2) }

    static func digest(_ message: [UInt8]) -> [UInt8] {
        var state = start
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: (message.count * 8) >> shift))
        }
        for block in stride(from: 0, to: padded.count, by: 64) {
            var words = (0..<16).map { word in
                padded[block + 4 * word..<block + 4 * word + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            for index in 16..<64 {
                let first = words[index - 15]
                let second = words[index - 2]
                words.append(
                    words[index - 16] &+ (rotate(first, 7) ^ rotate(first, 18) ^ first >> 3)
                        &+ words[index - 7]
                        &+ (rotate(second, 17) ^ rotate(second, 19) ^ second >> 10))
            }
            var v = state
            for index in 0..<64 {
                let first =
                    v[7] &+ (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25))
                    &+ (v[4] & v[5] ^ ~v[4] & v[6])
                    &+ constants[index] &+ words[index]
                let second =
                    (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22))
                    &+ (v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2])
                v = [first &+ second, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
            }
            for index in 0..<8 { state[index] &+= v[index] }
        }
        return state.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) }
        }
    }

    static func authenticationCode(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let padded = key + [UInt8](repeating: 0, count: 64 - key.count)
        return digest(padded.map { $0 ^ 0x5C } + digest(padded.map { $0 ^ 0x36 } + message))
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    private static func primes(_ count: Int) -> [UInt64] {
        var primes: [UInt64] = []
        for candidate in UInt64(2)... where primes.count < count {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            if primes.count == count { break }
        }
        return primes
    }

    /// The first 32 bits of the fractional part of a root, by bisection in whole numbers: the largest `r`
    /// with `r`^root ≤ number · 2^(32·root).
    private static func fraction(of number: UInt64, root: Int) -> UInt32 {
        var low: UInt64 = 0
        var high: UInt64 = 1 << 40
        while low + 1 < high {
            let middle = (low + high) / 2
            if power(middle, root, isAtMost: number) { low = middle } else { high = middle }
        }
        return UInt32(truncatingIfNeeded: low)
    }

    private static func power(_ value: UInt64, _ root: Int, isAtMost number: UInt64) -> Bool {
        let square = UInt128(value) * UInt128(value)
        if root == 2 { return square <= UInt128(number) << 64 }
        // The cube needs up to 120 bits.
        return square * UInt128(value) <= UInt128(number) << 96
    }
}
