import ToolSupport

/// Returns the first ten names in quotes, and the number of the others.
func quotedList(_ names: [String]) -> String {
    let shown = names.prefix(10).map { "“\($0)”" }.joined(separator: ", ")
    return names.count > 10 ? "\(shown) and \(Quantity.count(names.count - 10)) more" : shown
}
