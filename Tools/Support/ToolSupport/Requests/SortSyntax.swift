package import SectionedFetch

/// Sort descriptors as they are written on the command line: `title`, `-year`,
/// `title:localized=de:nulls=last`.
package enum SortSyntax {
    /// The syntax of sort descriptors, for `--help`.
    package static let help =
        "A key, with a minus sign before it for descending order, and after it any of :nocase, :localized=LOCALE, :indexed=LOCALE, :nulls=first and :nulls=last. Separate several keys with commas, or repeat the option."

    /// Reads sort descriptors separated by commas.
    ///
    /// - Throws: ``SyntaxFailure`` that names the invalid part.
    package static func descriptors(
        _ text: String, _ names: PropertyNames = .none
    ) throws(SyntaxFailure) -> [FetchRequest<ManagedObject>.SortDescriptor] {
        var descriptors: [FetchRequest<ManagedObject>.SortDescriptor] = []
        for part in PropertyNames.split(text, at: ",") {
            descriptors.append(try descriptor(part, names))
        }
        return descriptors
    }

    private static func descriptor(
        _ text: String, _ names: PropertyNames
    ) throws(SyntaxFailure) -> FetchRequest<ManagedObject>.SortDescriptor {
        let isDescending = text.hasPrefix("-")
        var words = PropertyNames.split(String(text.dropFirst(isDescending ? 1 : 0)), at: ":")[...]
        let expression = try KeySyntax.takeExpression(from: &words, of: text, names)
        var order = TextOrder.binary
        var nulls = NullOrder.smallest
        for word in words {
            let option = word.split(separator: "=", maxSplits: 1).map(String.init)
            switch (option.first, option.dropFirst().first) {
            case ("nocase", nil): order = .caseInsensitive
            case ("localized", let locale?): order = .localized(try LocaleArgument.locale(locale, in: text))
            case ("indexed", let locale?): order = .indexed(try LocaleArgument.locale(locale, in: text))
            case ("nulls", "first"): nulls = .first
            case ("nulls", "last"): nulls = .last
            default: throw SyntaxFailure("“\(text)”: unknown option “\(word)” in the order. \(help)")
            }
        }
        return isDescending
            ? .descending(expression, order: order, nulls: nulls)
            : .ascending(expression, order: order, nulls: nulls)
    }
}
