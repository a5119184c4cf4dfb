import SectionedFetch

/// A check that all values of a column are present and distinct, as the store compares them.
struct KeyCheck {
    /// The number of values that are compared if they do not ascend, at about 16 bytes each.
    private static let capacity = 1_000_000
    /// The hashes of the values while they ascend. Ascending values are distinct and need no look-up; the
    /// hashes are needed once a value does not ascend.
    private var risen: [Int] = []
    private var isRising = true
    private var lastBytes: [UInt8] = []
    private var lastNumber: UInt64?
    private var hashes: Set<Int> = []
    private var count = 0

    /// Returns a description of the next value's problem, or nil if it has none.
    ///
    /// - Parameter value: A value of the same type as the values before it.
    mutating func doubt(_ value: StoredValue) -> String? {
        switch value {
        case .null: return "has no value"
        case .integer(let number): return doubt(UInt64(bitPattern: number) ^ 1 << 63)
        case .real(let number):
            // Zero has two bit patterns. The patterns of negative numbers descend as the numbers ascend.
            let pattern = (number == 0 ? 0 : number).bitPattern
            return doubt(pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern)
        case .text(let text): return doubt(Array(text.utf8))
        case .blob(let bytes): return doubt(bytes)
        }
    }

    /// Returns the problem of a number whose order is the order of the values.
    private mutating func doubt(_ number: UInt64) -> String? {
        let isBeyond = lastNumber.map { $0 < number } ?? true
        if isRising { lastNumber = number }
        var hasher = Hasher()
        hasher.combine(number)
        return doubt(hash: hasher.finalize(), isBeyond: isBeyond)
    }

    /// Returns the problem of a text or of binary data.
    private mutating func doubt(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty else { return "has no value" }
        // Texts are ordered by length first, so that the decimal numbers in them ascend.
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
            return
                "is beyond the \(Self.capacity) values that are compared; pass --key if the column is a key"
        }
        return hashes.insert(hash).inserted ? nil : "repeats a value"
    }

    private static func hash(_ bytes: [UInt8]) -> Int {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
