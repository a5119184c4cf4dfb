import Foundation

/// A locale as it is written on the command line: `de`, `sv_SE`, `zh-Hant-TW`, `de@collation=phonebook`,
/// `de-u-co-phonebk`.
enum LocaleArgument {
    /// The locale of an identifier.
    ///
    /// Foundation makes a locale of any text, and what it does not know it leaves out of account, so that the
    /// list would come in an order that nobody asked for.
    ///
    /// - Parameter text: The key or the order that the identifier is part of, for the message.
    /// - Throws: ``SyntaxFailure`` naming the part of the identifier that Foundation does not know.
    static func locale(_ identifier: String, in text: String) throws(SyntaxFailure) -> Locale {
        let locale = Locale(identifier: identifier)
        // Codes of former times are known in today's form alone: `iw`, `sh`, `zh-min-nan`.
        let doubts = [identifier, locale.identifier(.icu)].map { form in
            doubt(Locale.Components(identifier: form), isUndetermined: identifier.hasPrefix(undetermined))
        }
        guard let doubt = doubts[0], !doubts.contains(nil) else { return locale }
        throw SyntaxFailure(
            "“\(text)”: there is no locale “\(identifier)”: \(doubt). Write one such as de, sv_SE, zh-Hant or de@collation=phonebook."
        )
    }

    private static let undetermined = "und"
    /// CLDR's name of what all locales have in common.
    private static let root = "root"
    /// In which Foundation has a name for everything that it knows.
    private static let naming = Locale(identifier: "en")

    /// What is wrong with a locale's parts, in words; nil if all are known.
    private static func doubt(_ components: Locale.Components, isUndetermined: Bool) -> String? {
        let language = components.languageComponents.languageCode
        // What cannot be read at all becomes the undetermined language.
        guard let language, language.identifier != undetermined || isUndetermined else {
            return "it names no language"
        }
        guard language.isISOLanguage || language.identifier == root else {
            return "“\(language.identifier)” is no language"
        }
        if let script = components.languageComponents.script, !script.isISOScript {
            return "“\(script.identifier)” is no script"
        }
        if let region = components.languageComponents.region, !region.isISORegion {
            return "“\(region.identifier)” is no region"
        }
        let variants = components.variant?.identifier.split { "-_".contains($0) } ?? []
        if let variant = variants.first(where: { naming.localizedString(forVariantCode: String($0)) == nil })
        {
            return "“\(variant)” is no variant"
        }
        if let collation = components.collation, !Locale.Collation.availableCollations.contains(collation),
            naming.localizedString(forCollationIdentifier: collation.identifier) == nil
        {
            return "“\(collation.identifier)” is no collation"
        }
        return nil
    }
}
