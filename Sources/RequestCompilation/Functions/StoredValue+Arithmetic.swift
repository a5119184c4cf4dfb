package import ObjectModel

extension StoredValue {
    /// Returns a sum, difference, product or quotient of two numbers, as SQLite computes it.
    ///
    /// Two integers give an integer, or a REAL if the result does not fit in 64 bits. The quotient of two
    /// integers has no fraction. The result is null for a division by zero, for an operand that is null or
    /// not a number, and if it would be not-a-number.
    ///
    /// Source: `OP_Add` … `OP_Divide` in SQLite's vdbe.c.
    package static func arithmetic(
        _ arithmetic: PredicateExpression.Operator, _ first: StoredValue, _ second: StoredValue
    ) -> StoredValue {
        if case .integer(let a) = first, case .integer(let b) = second {
            let (result, overflow) =
                switch arithmetic {
                case .add: a.addingReportingOverflow(b)
                case .subtract: a.subtractingReportingOverflow(b)
                case .multiply: a.multipliedReportingOverflow(by: b)
                case .divide: a.dividedReportingOverflow(by: b)
                }
            if !overflow { return .integer(result) }
            if arithmetic == .divide, b == 0 { return .null }
        }
        guard let a = first.number, let b = second.number else { return .null }
        let result: Double
        switch arithmetic {
        case .add: result = a + b
        case .subtract: result = a - b
        case .multiply: result = a * b
        case .divide:
            guard b != 0 else { return .null }
            result = a / b
        }
        return result.isNaN ? .null : .real(result)
    }

    /// The absolute value of a number; 2⁶³, which does not fit in a 64-bit integer, is REAL. Null if the
    /// value is not a number.
    package var absoluteValue: StoredValue {
        switch self {
        case .integer(.min): .real(0x1p63)
        case .integer(let value): .integer(abs(value))
        case .real(let value): .real(value.magnitude)
        default: .null
        }
    }

    /// The value as a floating-point number; nil if it is not a number.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
}
