extension StoredValue {
    /// Compares two values in SQLite's order: by storage class first (null, numbers, texts, blobs), numbers
    /// by their exact value across both classes, texts by their UTF-8 bytes, blobs by their bytes.
    ///
    /// Source: "Datatypes In SQLite", section 4.1; `sqlite3MemCompare`.
    ///
    /// - Returns: A negative number, zero or a positive number.
    package func compare(to other: StoredValue) -> Int {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): Self.sign(a, b)
        case (.real(let a), .real(let b)): Self.sign(a, b)
        case (.integer(let a), .real(let b)): Self.compare(a, b)
        case (.real(let a), .integer(let b)): -Self.compare(b, a)
        case (.text(let a), .text(let b)): Self.compare(a.utf8, b.utf8)
        case (.blob(let a), .blob(let b)): Self.compare(a, b)
        default: rank - other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private static func sign<Number: Comparable>(_ a: Number, _ b: Number) -> Int {
        a < b ? -1 : a > b ? 1 : 0
    }

    /// Compares an integer with a floating-point number without rounding either.
    private static func compare(_ integer: Int64, _ real: Double) -> Int {
        if real < -0x1p63 { return 1 }
        if real >= 0x1p63 { return -1 }
        let whole = Int64(real)
        // Beyond 2⁵³ a floating-point number has no fraction; below, the conversion of the integer is exact.
        return integer == whole ? sign(Double(integer), real) : sign(integer, whole)
    }

    private static func compare(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Int {
        if a.lexicographicallyPrecedes(b) { return -1 }
        return a.elementsEqual(b) ? 0 : 1
    }
}
