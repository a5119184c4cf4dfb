/// One promise in numbers: what was measured, and its bound.
package struct Figure {
    /// What a value must be.
    package enum Bound {
        case atMost(Double)
        case atLeast(Double)

        func isKept(by value: Double) -> Bool {
            switch self {
            case .atMost(let bound): value <= bound
            case .atLeast(let bound): value >= bound
            }
        }
    }

    package let title: String
    package let bound: Bound
    /// What follows the numbers: ` ms`, or `×`.
    package let unit: String
    /// Nil if it was not measured.
    package let value: Double?

    /// Whether the promise is kept; nil if it was not measured.
    package var isReached: Bool? { value.map(bound.isKept) }

    package init(title: String, bound: Bound, unit: String, value: Double?) {
        self.title = title
        self.bound = bound
        self.unit = unit
        self.value = value
    }

    /// The figure for people: whether it is reached, its value and its bound.
    package var line: String {
        let bound =
            switch self.bound {
            case .atMost(let bound): "at most \(bound.threeDigits)\(unit)"
            case .atLeast(let bound): "at least \(bound.threeDigits)\(unit)"
            }
        guard let value, let isReached else { return "  not measured  \(title) (\(bound))" }
        let verdict = isReached ? "reached     " : "not reached "
        return "  \(verdict)  \(title): \(value.threeDigits) of \(bound)"
    }
}

extension Figure: Encodable {
    private enum CodingKeys: String, CodingKey { case title, value, atMost, atLeast, isReached }

    /// Writes the bound by its name.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        try container.encodeIfPresent(value, forKey: .value)
        switch bound {
        case .atMost(let bound): try container.encode(bound, forKey: .atMost)
        case .atLeast(let bound): try container.encode(bound, forKey: .atLeast)
        }
        try container.encodeIfPresent(isReached, forKey: .isReached)
    }
}
