package import ObjectModel

/// A sum of numbers that does not depend on their order, which is undefined for the rows of a relationship.
///
/// Integers are added exactly. If any number is REAL, the sum is REAL: the REAL numbers are added to the sum
/// of the integers in ascending order, with the rounding errors summed separately (Neumaier's summation).
/// Both SQL's `@sum` and `@avg` and the evaluation in memory use this type.
package struct NumberSum {
    private var integers: Int128 = 0
    private var reals: [Double] = []
    /// The number of values added.
    package private(set) var count = 0

    /// Adds a value, if it is a number.
    package mutating func add(_ value: StoredValue) {
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

    /// The sum: 0 if empty; REAL if it does not fit in a 64-bit integer; null if it would be not-a-number.
    package var sum: StoredValue {
        if reals.isEmpty, let whole = Int64(exactly: integers) { return .integer(whole) }
        let total = realSum
        return total.isNaN ? .null : .real(total)
    }

    /// The average; null if empty.
    package var mean: StoredValue {
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
        // An infinite sum has no meaningful rounding error.
        return sum.isFinite ? sum + error : sum
    }
}
