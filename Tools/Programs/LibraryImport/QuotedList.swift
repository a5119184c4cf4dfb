import ToolSupport

/// Names in quotes, as many as somebody may want to read in one line.
func quotedList(_ names: [String]) -> String {
    let shown = names.prefix(10).map { "“\($0)”" }.joined(separator: ", ")
    return names.count > 10 ? "\(shown) and \(Quantity.count(names.count - 10)) more" : shown
}
