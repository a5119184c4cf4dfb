/// A performance goal: a measured value and its bound.
package struct Figure {
    /// The bound of a value.
    package enum Bound {
        /// The value must not exceed the bound.
        case atMost(Double)
        /// The value must not be below the bound.
        case atLeast(Double)

        func isKept(by value: Double) -> Bool {
            switch self {
            case .atMost(let bound): value <= bound
            case .atLeast(let bound): value >= bound
            }
        }
    }

    /// The title of the goal.
    package let title: String
    /// The bound of the value.
    package let bound: Bound
    /// The unit, which follows the numbers: ` ms` or `×`.
    package let unit: String
    /// The measured value, or nil if it was not measured.
    package let value: Double?

    /// Whether the value is within its bound, or nil if it was not measured.
    package var isReached: Bool? { value.map(bound.isKept) }

    /// Creates a goal.
    package init(title: String, bound: Bound, unit: String, value: Double?) {
        self.title = title
        self.bound = bound
        self.unit = unit
        self.value = value
    }

    /// A line of text: whether the goal is reached, the value and the bound.
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

extension Figure: Codable {
    private enum CodingKeys: String, CodingKey { case title, unit, value, atMost, atLeast, isReached }

    /// Encodes the bound under the name of its case.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        try container.encode(unit, forKey: .unit)
        try container.encodeIfPresent(value, forKey: .value)
        switch bound {
        case .atMost(let bound): try container.encode(bound, forKey: .atMost)
        case .atLeast(let bound): try container.encode(bound, forKey: .atLeast)
        }
        try container.encodeIfPresent(isReached, forKey: .isReached)
    }

    /// Decodes a goal with one of the two bounds.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let atMost = try container.decodeIfPresent(Double.self, forKey: .atMost)
        self.init(
            title: try container.decode(String.self, forKey: .title),
            bound: try atMost.map(Bound.atMost) ?? .atLeast(container.decode(Double.self, forKey: .atLeast)),
            unit: try container.decode(String.self, forKey: .unit),
            value: try container.decodeIfPresent(Double.self, forKey: .value))
    }
}
