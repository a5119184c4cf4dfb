public import Foundation

/// Something to sort or group by: a property, a property of a related object, or a value computed from one.
///
/// A string literal is a key path: `"artist.name"`. Computed values are registered with SQLite, so that it
/// sorts and groups by them itself, and each carries a version that is part of every fingerprint.
public struct KeyExpression: Hashable, Sendable {
    /// What is computed from the value at the key path.
    package enum Function: Hashable, Sendable {
        /// The value itself.
        case value
        /// The first letter under a locale.
        case firstLetter(locale: String, diacritics: Diacritics)
        /// The calendar year of a date in a time zone.
        case year(timeZone: String)
        /// The calendar month of a date in a time zone, as year × 100 + month.
        case month(timeZone: String)
        /// What a function of the app computes.
        case computed(ComputedKey)
    }

    /// Whether a letter with a mark stands with the plain letter.
    public enum Diacritics: String, Hashable, Sendable {
        /// É stands under E, unless the locale's order has the two as different letters, as Swedish has O and
        /// Ö. Texts of one letter stand together in that order.
        case together
        /// É and E are apart. Rows have to be sorted by the letter first.
        case apart
    }

    /// The key path, dotted.
    package let path: String
    /// What is computed from its value.
    package let function: Function

    init(path: String, function: Function = .value) {
        self.path = path
        self.function = function
    }

    /// The value at a dotted key path, which may lead through to-one relationships.
    public static func path(_ path: String) -> Self { Self(path: path) }

    /// The first letter of a text, upper-case, or `#` for a text that does not begin with a letter. No value
    /// stays none.
    ///
    /// The locale's order decides which letter that is: Ø is an O in English, “Ch” a letter of its own in
    /// Czech, and a text that begins with a space stands before all letters. So rows that are sorted by the
    /// text in the order of the same locale are grouped by their letters.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - locale: Whose alphabet decides, for instance that Ö is a letter of its own in Swedish and i
    ///     becomes İ in Turkish.
    ///   - diacritics: Whether É stands under E.
    public static func firstLetter(
        of path: String, locale: Locale = Locale(identifier: "en"), diacritics: Diacritics = .together
    ) -> Self {
        Self(path: path, function: .firstLetter(locale: locale.identifier, diacritics: diacritics))
    }

    /// The year of a date in a time zone, in the proleptic Gregorian calendar with a year 0 (ISO 8601).
    public static func year(of path: String, in timeZone: TimeZone) -> Self {
        Self(path: path, function: .year(timeZone: timeZone.identifier))
    }

    /// The month of a date in a time zone, shown as `2024-03`.
    public static func month(of path: String, in timeZone: TimeZone) -> Self {
        Self(path: path, function: .month(timeZone: timeZone.identifier))
    }

    /// What a function computes from the value at a dotted key path, of the type that the function takes.
    public static func computed(_ function: some KeyFunction, of path: String) -> Self {
        Self(path: path, function: .computed(ComputedKey(function)))
    }
}

extension KeyExpression: ExpressibleByStringLiteral {
    /// The value at a dotted key path.
    public init(stringLiteral path: String) { self.init(path: path) }
}

extension KeyExpression: CustomStringConvertible {
    /// The expression in words: `artist.name`, `first letter of title (en)`.
    public var description: String {
        switch function {
        case .value: path
        case .firstLetter(let locale, .together): "first letter of \(path) (\(locale))"
        case .firstLetter(let locale, .apart): "first letter of \(path) (\(locale), marks apart)"
        case .year(let timeZone): "year of \(path) (\(timeZone))"
        case .month(let timeZone): "month of \(path) (\(timeZone))"
        case .computed(let key): "key of \(path) (\(key))"
        }
    }
}

extension KeyExpression {
    /// Whether the value may depend on Foundation's tables of locales or time zones.
    package var dependsOnFoundation: Bool { function != .value }

    /// The type of the value; nil for a relationship, and for what is not of the model.
    ///
    /// - Complexity: O(*d*) for a path of *d* names.
    package func type(of entity: EntityDescription, in model: ManagedObjectModel) -> AttributeType? {
        switch function {
        case .value: model.typeOfAttribute(path, from: entity)
        case .firstLetter: .string
        case .year, .month: .integer64
        case .computed(let key): key.keyType
        }
    }
}
