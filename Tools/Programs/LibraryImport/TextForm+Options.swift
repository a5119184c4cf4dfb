extension TextForm {
    /// Returns the options that give a column this form.
    func options(column: String) -> [String] {
        var options = (noValue ?? []).map { "--no-value \"\(column)=\($0)\"" }
        if isTrimmed == true { options.append("--trim") }
        if isUnquoted == true { options.append("--unquote") }
        if let number { options.append("--number-form \"\(column)=\(number.example)\"") }
        if let date { options.append("--date-form \"\(column)=\(date.pattern)\"") }
        if let boolean {
            options.append("--boolean-form \"\(column)=\(boolean.yes)/\(boolean.no)\"")
        }
        return options
    }
}
