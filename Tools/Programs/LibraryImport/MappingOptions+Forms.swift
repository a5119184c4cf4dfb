import ArgumentParser
import InternalUtilities
import SectionedFetch
import ToolSupport

extension MappingOptions {
    /// Applies the options for the forms of texts to a mapping.
    ///
    /// - Parameters:
    ///   - setsTypes: Whether a form sets the type of its attribute, as in a proposal.
    ///   - typed: The attributes whose type `--type` sets.
    ///   - exact: Returns the column that a name in an option means.
    /// - Returns: The attributes whose type a form sets.
    func applyForms(
        to mapping: inout Mapping, settingTypes setsTypes: Bool, besides typed: Set<String>,
        exact: (String) -> ExactText
    ) throws -> Set<String> {
        var changed: Set<String> = []
        func apply(
            _ option: String, _ column: String, _ types: [AttributeType], _ body: (inout TextForm) -> Void
        ) throws {
            let column = exact(column)
            guard let position = mapping.attributes.firstIndex(where: { ExactText($0.column) == column })
            else {
                throw ToolFailure(
                    "\(option): no attribute has the column “\(column.text)”. \(NearestName.suggestion(for: column.text, among: mapping.attributes.map(\.column)))"
                )
            }
            let name = mapping.attributes[position].name
            if setsTypes, !typed.contains(name) { mapping.attributes[position].type = types[0] }
            let type = mapping.attributes[position].type
            guard types.contains(type) else {
                throw ToolFailure(
                    "\(option): “\(name)” has type \(type.rawValue). The form is for \(types.map(\.rawValue).joined(separator: ", "))."
                )
            }
            Self.change(&mapping.attributes[position].form, body)
            changed.insert(name)
        }
        for text in numberForms {
            let (column, form) = try Self.numberForm(text)
            let types: [AttributeType] = [.double, .decimal, .float, .integer64, .integer32, .integer16]
            try apply("--number-form \(text)", column, types) { $0.number = form }
        }
        for text in dateForms {
            let (column, form) = try Self.dateForm(text)
            try apply("--date-form \(text)", column, [.date]) { $0.date = form }
        }
        for text in booleanForms {
            let (column, form) = try Self.booleanForm(text)
            try apply("--boolean-form \(text)", column, [.boolean]) { $0.boolean = form }
        }
        applyFormsOfAll(to: &mapping, exact: exact)
        return changed
    }

    /// Applies the options that may concern all columns.
    private func applyFormsOfAll(to mapping: inout Mapping, exact: (String) -> ExactText) {
        let columns = Set(mapping.columns.map(ExactText.init))
        func apply(_ column: ExactText?, _ body: (inout TextForm) -> Void) {
            for position in mapping.attributes.indices
            where column == nil || ExactText(mapping.attributes[position].column) == column {
                Self.change(&mapping.attributes[position].form, body)
            }
            for position in mapping.relationships.indices
            where column == nil || ExactText(mapping.relationships[position].column) == column {
                Self.change(&mapping.relationships[position].form, body)
            }
        }
        for text in noValues {
            var rest = Substring(text)
            if let name = PropertyNames.takeQuotedName(from: &rest) {
                // A quoted word without a column may contain the sign.
                let word = rest.first == "=" ? String(rest.dropFirst()) : name + rest
                let column = rest.first == "=" ? exact(name) : nil
                apply(column) { $0.noValue = ($0.noValue ?? []) + [word] }
                continue
            }
            // A word may contain the sign, and so may a column.
            let signs = text.indices.filter { text[$0] == "=" }
            let sign = signs.last { columns.contains(exact(String(text[..<$0]))) }
            let word = sign.map { String(text[text.index(after: $0)...]) } ?? text
            apply(sign.map { exact(String(text[..<$0])) }) { $0.noValue = ($0.noValue ?? []) + [word] }
        }
        if trim { apply(nil) { $0.isTrimmed = true } }
        if unquote { apply(nil) { $0.isUnquoted = true } }
    }

    private static func change(_ form: inout TextForm?, _ body: (inout TextForm) -> Void) {
        var changed = form ?? TextForm()
        body(&changed)
        form = changed
    }

    /// Parses the value of `--number-form`.
    static func numberForm(_ text: String) throws(ValidationError) -> (column: String, form: NumberForm) {
        try form(
            text, "--number-form", "COLUMN=1.234,5",
            help:
                "does not show the number 1234.5. Write COLUMN=1.234,5 or COLUMN=1234,5, or 1234 if the column has no fractions: COLUMN=1,234."
        )
    }

    /// Parses the value of `--date-form`.
    static func dateForm(_ text: String) throws(ValidationError) -> (column: String, form: DateForm) {
        try form(
            text, "--date-form", "COLUMN=dd.MM.yyyy",
            help:
                "is not a pattern of dates. Write yyyy for the year, MM, M, MMM or MMMM for the month, dd or d for the day, and for a time HH or H, or h with a, then mm and ss: COLUMN=dd.MM.yyyy HH:mm."
        )
    }

    private static func form<Form: WrittenForm>(
        _ text: String, _ option: String, _ example: String, help: String
    ) throws(ValidationError) -> (column: String, form: Form) {
        let (column, value) = try parts(of: text, option, example)
        guard let form = Form(text: value) else {
            throw ValidationError("\(option) \(text): “\(value)” \(help)")
        }
        return (column, form)
    }

    /// Parses the value of `--boolean-form`.
    static func booleanForm(_ text: String) throws(ValidationError) -> (column: String, form: BooleanForm) {
        let (column, value) = try parts(of: text, "--boolean-form", "COLUMN=yes/no")
        let words = value.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2, words[0] != words[1] else {
            throw ValidationError(
                "--boolean-form \(text): write the words for true and false: COLUMN=yes/no.")
        }
        return (column, BooleanForm(yes: words[0], no: words[1]))
    }

    private static func parts(
        of text: String, _ option: String, _ example: String
    ) throws(ValidationError) -> (column: String, value: String) {
        guard let parts = columnAndValue(text) else {
            throw ValidationError("\(option) \(text): write \(example).")
        }
        return parts
    }
}
