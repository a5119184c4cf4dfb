import ToolSupport

/// The result of an inspection.
struct InspectionReport {
    /// The result as JSON.
    let json: () -> JSONValue
    /// The result as text.
    let lines: () -> [String]
    /// The problem that the inspection found; nil for none.
    let finding: ToolFinding?

    init(
        _ json: @autoclosure @escaping () -> JSONValue, _ lines: @autoclosure @escaping () -> [String],
        finding: ToolFinding? = nil
    ) {
        self.json = json
        self.lines = lines
        self.finding = finding
    }
}
