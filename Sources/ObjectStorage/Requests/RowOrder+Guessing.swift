extension RowOrder {
    /// How far from one row to another, as a share of the way, a row between them may be expected, if the values lie evenly.
    ///
    /// - Returns: 0 to 1; nil where the values do not tell.
    package func share(of place: RowPlace, from first: RowPlace, to last: RowPlace) -> Double? {
        for position in place.values.indices {
            guard
                let start = Self.number(
                    first.values[position], last.values[position], first.values[position]),
                let end = Self.number(first.values[position], last.values[position], last.values[position]),
                let middle = Self.number(
                    first.values[position], last.values[position], place.values[position])
            else { return nil }
            if start != end { return min(max((middle - start) / (end - start), 0), 1) }
        }
        return nil
    }

    /// A value as a number that rises or falls with it; of texts and blobs what follows the beginning that two others share.
    private static func number(_ first: OrderValue, _ last: OrderValue, _ value: OrderValue) -> Double? {
        switch (first, last, value) {
        case (_, _, .integer(let number)): Double(number)
        case (_, _, .real(let number)): number
        case (.text(let first), .text(let last), .text(let value)),
            (.blob(let first), .blob(let last), .blob(let value)):
            digits(of: value, behind: commonCount(first, last))
        default: nil
        }
    }

    private static func commonCount(_ first: [UInt8], _ last: [UInt8]) -> Int {
        var count = 0
        while count < first.count, count < last.count, first[count] == last[count] { count += 1 }
        return count
    }

    /// The next six bytes as a number, which is as much as a guess is worth.
    private static func digits(of bytes: [UInt8], behind count: Int) -> Double {
        var number = 0.0
        for position in count..<count + 6 {
            number = number * 256 + (position < bytes.count ? Double(bytes[position]) + 1 : 0)
        }
        return number
    }
}
