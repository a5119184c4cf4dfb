extension KeyExpression {
    /// Returns a value that is equal for two rows if the values of all expressions are equal. Rows can be
    /// grouped by it; they are sorted by the expressions themselves.
    ///
    /// - Parameter expressions: The expressions. A combined expression is replaced by its parts.
    public static func combined(_ expressions: [KeyExpression]) -> Self {
        Self(path: "", function: .combined(expressions.flatMap(\.simple)))
    }

    /// The parts of a combined expression; for any other expression, only the expression itself.
    package var simple: [KeyExpression] {
        if case .combined(let expressions) = function { expressions } else { [self] }
    }

    /// Whether the expression combines others.
    package var isCombined: Bool { if case .combined = function { true } else { false } }
}
