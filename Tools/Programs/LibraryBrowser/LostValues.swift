import ToolSupport

/// Values that an export writes, but that an import does not read as equal ones.
struct LostValues {
    private var count = 0
    private var first = ""

    /// Counts a value.
    ///
    /// - Parameter reason: The value, and the reason.
    mutating func note(_ reason: @autoclosure () -> String) {
        if count == 0 { first = reason() }
        count += 1
    }

    /// Throws if there are such values.
    ///
    /// - Throws: ``ToolFinding`` with their number and the first one.
    func check() throws(ToolFinding) {
        guard count > 0 else { return }
        throw ToolFinding(
            "\(Quantity.count(count, "value")) cannot be imported again. First: \(first). “library-import export” writes the whole store without losses."
        )
    }
}
