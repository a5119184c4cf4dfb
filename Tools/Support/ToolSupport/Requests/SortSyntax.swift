package import SectionedFetch

/// Sort descriptors as they are written on the command line: `title`, `-year`,
/// `title:localized=de:nulls=last`.
package enum SortSyntax {
    /// How sort descriptors are written, for `--help`.
    package static let help =
        "A key, with a minus sign before it for the largest first, and after it any of :nocase, :localized=LOCALE, :nulls=first and :nulls=last. Several are parted by commas, or given by several options."

    /// Reads sort descriptors parted by commas.
    ///
    /// - Throws: ``SyntaxFailure`` saying what cannot be read.
    package static func descriptors(
        _ text: String
    ) throws(SyntaxFailure) -> [FetchRequest<ManagedObject>.SortDescriptor] {
        var descriptors: [FetchRequest<ManagedObject>.SortDescriptor] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            descriptors.append(try descriptor(String(part)))
        }
        return descriptors
    }

    private static func descriptor(
        _ text: String
    ) throws(SyntaxFailure) -> FetchRequest<ManagedObject>.SortDescriptor {
        let isDescending = text.hasPrefix("-")
        var words = text.dropFirst(isDescending ? 1 : 0).split(
            separator: ":", omittingEmptySubsequences: false
        )
        .map(String.init)[...]
        let expression = try KeySyntax.takeExpression(from: &words, of: text)
        var order = TextOrder.binary
        var nulls = NullOrder.smallest
        for word in words {
            let option = word.split(separator: "=", maxSplits: 1).map(String.init)
            switch (option.first, option.dropFirst().first) {
            case ("nocase", nil): order = .caseInsensitive
            case ("localized", let locale?): order = .localized(try LocaleArgument.locale(locale, in: text))
            case ("nulls", "first"): nulls = .first
            case ("nulls", "last"): nulls = .last
            default: throw SyntaxFailure("“\(text)”: nothing is known of “\(word)” in an order. \(help)")
            }
        }
        return isDescending
            ? .descending(expression, order: order, nulls: nulls)
            : .ascending(expression, order: order, nulls: nulls)
    }
}
