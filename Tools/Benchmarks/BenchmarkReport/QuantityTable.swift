import BenchmarkSupport

/// A table of measured quantities.
struct QuantityTable {
    /// A cell.
    enum Cell {
        /// The median with its spread.
        case quantity(MeasuredQuantity)
        case number(String)
        case words(String)
        /// A quantity that should have been measured.
        case missing(name: String)
        /// A quantity that is not measured in this case, by the design of the benchmark.
        case none
    }

    /// A row, or the heading of the rows that follow.
    enum Row {
        case cells(title: String, [Cell])
        case heading(String)
    }

    let caption: String
    let columns: [String]
    let rows: [Row]

    /// The names of the missing quantities.
    var missing: [String] {
        rows.flatMap { row -> [String] in
            guard case .cells(_, let cells) = row else { return [] }
            return cells.compactMap { if case .missing(let name) = $0 { name } else { nil } }
        }
    }

    /// The table in a box that scrolls sideways.
    var markup: Markup {
        let head = Markup.element(
            "thead", [:],
            [.element("tr", [:], columns.map { .element("th", ["scope": "col"], $0) })])
        let body = Markup.element("tbody", [:], rows.map(markup))
        // Columns without headings need no line for them.
        let parts = columns.allSatisfy(\.isEmpty) ? [body] : [head, body]
        return .element(
            "div",
            [
                "class": columns.count > 2 ? "scroll" : "scroll narrow", "role": "region",
                "aria-label": caption, "tabindex": "0",
            ],
            [.element("table", ["aria-label": caption], parts)])
    }

    private func markup(_ row: Row) -> Markup {
        switch row {
        case .heading(let title):
            .element(
                "tr", [:],
                [.element("th", ["scope": "rowgroup", "colspan": String(columns.count)], title)])
        case .cells(let title, let cells):
            .element("tr", [:], [.element("th", ["scope": "row"], title)] + cells.map(markup))
        }
    }

    private func markup(_ cell: Cell) -> Markup {
        switch cell {
        case .quantity(let quantity):
            let spread = quantity.spread
            let range = "\(spread.minimum.threeDigits) – \(spread.maximum.threeDigits)"
            return .element(
                "td", [:],
                [
                    .element("strong", [:], spread.median.threeDigits),
                    .element("span", ["class": "spread"], "\(range) · n = \(spread.count.grouped)"),
                ])
        case .number(let text): return .element("td", [:], text)
        case .words(let text): return .element("td", ["class": "words"], text)
        case .missing: return .element("td", ["class": "missing"], "not measured")
        case .none: return .element("td", [:], "–")
        }
    }
}

extension ResultSet {
    /// Returns the cell of a quantity.
    ///
    /// - Parameter isOptional: Whether the benchmark does not measure the quantity under all conditions.
    func cell(
        _ source: Source, _ name: String, _ conditions: [String: Int] = [:], isOptional: Bool = false
    ) -> QuantityTable.Cell {
        if let quantity = find(source, name, conditions) { return .quantity(quantity) }
        return isOptional ? .none : .missing(name: Self.describe(name, conditions))
    }

    /// Returns the cell of a ratio.
    func ratioCell(
        _ source: Source, _ name: String, _ conditions: [String: Int] = [:]
    ) -> QuantityTable.Cell {
        if let ratio = ratio(source, name, conditions) { return .number(ratio.threeDigits + " ×") }
        return .missing(name: Self.describe(name, conditions))
    }

    /// Returns the name of a quantity with its conditions.
    private static func describe(_ name: String, _ conditions: [String: Int]) -> String {
        guard !conditions.isEmpty else { return name }
        let numbers = conditions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.grouped)" }
        return "\(name) (\(numbers.joined(separator: ", ")))"
    }
}
