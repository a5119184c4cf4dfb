extension StoredValue {
    /// A sum, difference, product or quotient of two numbers, as SQLite computes it.
    ///
    /// Two integers give an integer, unless that is beyond 64 bits: then the numbers are taken as REAL. The
    /// quotient of two integers has no fraction. Division by zero gives no value, and so does everything with
    /// no value, with anything that is no number, and whatever would be no number.
    ///
    /// Source: `OP_Add` … `OP_Divide` in SQLite's vdbe.c.
    static func arithmetic(
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

    /// A number without its sign; 2⁶³, which is no integer of 64 bits, as REAL. No value for what is no
    /// number.
    var absoluteValue: StoredValue {
        switch self {
        case .integer(.min): .real(0x1p63)
        case .integer(let value): .integer(abs(value))
        case .real(let value): .real(value.magnitude)
        default: .null
        }
    }

    /// The value as a number; nil if it is none.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
}
