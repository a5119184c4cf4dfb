import Foundation

/// A locale as it is written on the command line: `de`, `sv_SE`, `zh-Hant-TW`, `de@collation=phonebook`,
/// `de-u-co-phonebk`.
enum LocaleArgument {
    /// Returns the locale of an identifier.
    ///
    /// Foundation creates a locale from any text and ignores unknown parts, so that the list would be sorted
    /// in an unintended order.
    ///
    /// - Parameter text: The key or the order that contains the identifier, for the message.
    /// - Throws: ``SyntaxFailure`` that names the part of the identifier that Foundation does not know.
    static func locale(_ identifier: String, in text: String) throws(SyntaxFailure) -> Locale {
        let locale = Locale(identifier: identifier)
        // Obsolete codes such as `iw`, `sh` and `zh-min-nan` are known only in their current form.
        let doubts = [identifier, locale.identifier(.icu)].map { form in
            doubt(Locale.Components(identifier: form), isUndetermined: identifier.hasPrefix(undetermined))
        }
        guard let doubt = doubts[0], !doubts.contains(nil) else { return locale }
        throw SyntaxFailure(
            "“\(text)”: unknown locale “\(identifier)”: \(doubt). Write one such as de, sv_SE, zh-Hant or de@collation=phonebook."
        )
    }

    private static let undetermined = "und"
    /// CLDR's identifier of the root locale, from which all locales inherit.
    private static let root = "root"
    /// The locale in which Foundation has a name for every code that it knows.
    private static let naming = Locale(identifier: "en")

    /// Returns a description of the first unknown part of a locale, or nil if all parts are known.
    private static func doubt(_ components: Locale.Components, isUndetermined: Bool) -> String? {
        let language = components.languageComponents.languageCode
        // Foundation reads an unparsable identifier as the undetermined language.
        guard let language, language.identifier != undetermined || isUndetermined else {
            return "it does not name a language"
        }
        guard language.isISOLanguage || language.identifier == root else {
            return "“\(language.identifier)” is not a language"
        }
        if let script = components.languageComponents.script, !script.isISOScript {
            return "“\(script.identifier)” is not a script"
        }
        if let region = components.languageComponents.region, !region.isISORegion {
            return "“\(region.identifier)” is not a region"
        }
        let variants = components.variant?.identifier.split { "-_".contains($0) } ?? []
        if let variant = variants.first(where: { naming.localizedString(forVariantCode: String($0)) == nil })
        {
            return "“\(variant)” is not a variant"
        }
        if let collation = components.collation, !Locale.Collation.availableCollations.contains(collation),
            naming.localizedString(forCollationIdentifier: collation.identifier) == nil
        {
            return "“\(collation.identifier)” is not a collation"
        }
        return nil
    }
}
