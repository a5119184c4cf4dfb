extension StoredValue {
    /// The text; nil for other values.
    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The integer; nil for other values.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number, or an integer that a `Double` represents exactly; nil for other values.
    public var real: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(exactly: value)
        default: nil
        }
    }
}
