/// Adds up numbers so that their order does not matter, which nobody defines for the rows of a relationship.
///
/// Integers are added exactly. As soon as one number is REAL the sum is: then all are added from the smallest
/// to the greatest with the rounding errors kept apart (Neumaier's summation). SQL's `@sum` and `@avg` and
/// those in memory both count here.
struct NumberSum {
    private var integers: Int128 = 0
    private var reals: [Double] = []
    /// How many numbers there are.
    private(set) var count = 0

    /// Adds a value, if it is a number.
    mutating func add(_ value: StoredValue) {
        switch value {
        case .integer(let value):
            integers += Int128(value)
            count += 1
        case .real(let value):
            reals.append(value)
            count += 1
        default: break
        }
    }

    /// The sum: 0 of none; REAL where it is no integer of 64 bits; no value where it would be no number.
    var sum: StoredValue {
        if reals.isEmpty, let whole = Int64(exactly: integers) { return .integer(whole) }
        let total = realSum
        return total.isNaN ? .null : .real(total)
    }

    /// The mean: no value of none.
    var mean: StoredValue {
        guard count > 0 else { return .null }
        let mean = realSum / Double(count)
        return mean.isNaN ? .null : .real(mean)
    }

    private var realSum: Double {
        var sum = Double(integers)
        var error = 0.0
        for real in reals.sorted() {
            let next = sum + real
            error += sum.magnitude >= real.magnitude ? (sum - next) + real : (real - next) + sum
            sum = next
        }
        // An infinite sum has no rounding error that could be told.
        return sum.isFinite ? sum + error : sum
    }
}
