/// A quantity that a benchmark measured several times under the same conditions.
package struct MeasuredQuantity: Codable {
    /// The dotted name, such as `start.plain.hit`. Together with the conditions it is unique in a document.
    package let name: String
    /// The title for a row of a table.
    package let title: String
    /// The numbers under which it was measured, such as `rows` and `sections`.
    package let conditions: [String: Int]
    /// The unit: `ms`, `MiB` or `rows/s`.
    package let unit: String
    /// The samples.
    package let spread: Spread

    /// Creates a quantity.
    ///
    /// - Parameters:
    ///   - name: The dotted name, without spaces.
    ///   - title: The title for a row of a table.
    ///   - spread: The samples.
    ///   - unit: The unit of the samples.
    ///   - conditions: The numbers under which it was measured.
    package init(
        _ name: String, _ title: String, _ spread: Spread, unit: String = "ms",
        under conditions: [String: Int] = [:]
    ) {
        self.name = name
        self.title = title
        self.conditions = conditions
        self.unit = unit
        self.spread = spread
    }
}
