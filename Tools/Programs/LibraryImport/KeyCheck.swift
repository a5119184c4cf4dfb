import SectionedFetch

/// Whether the values of a column are all there and all different, as the store will compare them.
struct KeyCheck {
    /// Values that do not rise are kept, 16 bytes each or so, up to this number.
    private static let capacity = 1_000_000
    /// Values that rise so far need no table: each is beyond all before it. Their hashes are kept for the
    /// moment when one is not.
    private var risen: [Int] = []
    private var isRising = true
    private var lastBytes: [UInt8] = []
    private var lastNumber: UInt64?
    private var hashes: Set<Int> = []
    private var count = 0

    /// The problem of the next value, in words; nil if it has none.
    ///
    /// - Parameter value: Of the type of the values before it.
    mutating func doubt(_ value: StoredValue) -> String? {
        switch value {
        case .null: return "has no value"
        case .integer(let number): return doubt(UInt64(bitPattern: number) ^ 1 << 63)
        case .real(let number):
            // Zero has two patterns. Negative numbers fall with theirs.
            let pattern = (number == 0 ? 0 : number).bitPattern
            return doubt(pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern)
        case .text(let text): return doubt(Array(text.utf8))
        case .blob(let bytes): return doubt(bytes)
        }
    }

    /// The problem of a number, of which a greater one stands for a greater value.
    private mutating func doubt(_ number: UInt64) -> String? {
        let isBeyond = lastNumber.map { $0 < number } ?? true
        if isRising { lastNumber = number }
        var hasher = Hasher()
        hasher.combine(number)
        return doubt(hash: hasher.finalize(), isBeyond: isBeyond)
    }

    /// The problem of a text, or of bytes.
    private mutating func doubt(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty else { return "has no value" }
        // Texts rise by their lengths first, as numbers in them do.
        let isBeyond =
            isRising
            && (lastBytes.count < bytes.count
                || (lastBytes.count == bytes.count && lastBytes.lexicographicallyPrecedes(bytes)))
        if isRising { lastBytes = bytes }
        return doubt(hash: Self.hash(bytes), isBeyond: isBeyond)
    }

    private mutating func doubt(hash: Int, isBeyond: Bool) -> String? {
        count += 1
        if isRising {
            if isBeyond {
                if risen.count < Self.capacity { risen.append(hash) }
                return nil
            }
            isRising = false
            hashes = Set(risen)
            risen = []
        }
        guard count <= Self.capacity else {
            return "is the \(Self.capacity + 1)th, and more are not compared; say --key if it is one"
        }
        return hashes.insert(hash).inserted ? nil : "repeats a value"
    }

    private static func hash(_ bytes: [UInt8]) -> Int {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
