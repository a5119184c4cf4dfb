import SectionedFetch

/// Whether the values of a column are all there and all different, as the store will compare them.
struct KeyCheck {
    /// Values that do not rise are kept, 16 bytes each or so, up to this number.
    private static let capacity = 1_000_000
    private var last: [UInt8] = []
    private var isRising = true
    private var hashes: Set<Int> = []
    private var count = 0

    /// What is wrong with the next value, in words; nil if nothing is.
    mutating func doubt(_ value: StoredValue) -> String? {
        let bytes = Self.bytes(value)
        guard !bytes.isEmpty else { return "has no value" }
        count += 1
        if isRising {
            // Texts rise by their lengths first, as numbers in them do. As long as each is beyond the one
            // before, none can repeat.
            let isBeyond =
                last.count < bytes.count
                || (last.count == bytes.count && last.lexicographicallyPrecedes(bytes))
            if isBeyond {
                last = bytes
                if hashes.count < Self.capacity { hashes.insert(Self.hash(bytes)) }
                return nil
            }
            isRising = false
        }
        guard count <= Self.capacity else {
            return "is the \(Self.capacity + 1)th, and more are not compared; say --key if it is one"
        }
        return hashes.insert(Self.hash(bytes)).inserted ? nil : "repeats a value"
    }

    /// Bytes that are equal for equal values of one type, and rise with numbers; none for no value.
    private static func bytes(_ value: StoredValue) -> [UInt8] {
        switch value {
        case .null: return []
        case .integer(let number): return bigEndian(UInt64(bitPattern: number) ^ 1 << 63)
        case .real(let number):
            // Zero has two patterns. Negative numbers fall with theirs.
            let pattern = (number == 0 ? 0 : number).bitPattern
            return bigEndian(pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern)
        case .text(let text): return Array(text.utf8)
        case .blob(let bytes): return bytes
        }
    }

    private static func bigEndian(_ word: UInt64) -> [UInt8] {
        withUnsafeBytes(of: word.bigEndian, Array.init)
    }

    private static func hash(_ bytes: [UInt8]) -> Int {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
