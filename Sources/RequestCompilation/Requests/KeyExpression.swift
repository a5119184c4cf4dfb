public import Foundation
package import ObjectModel

/// A value to sort or group by: a property, a property of a related object, or a value computed from one.
///
/// A string literal is a key path: `"artist.name"`. The functions are registered with SQLite, which sorts and
/// groups by their values. Each function has a version that is part of every fingerprint.
public struct KeyExpression: Hashable, Sendable {
    /// The functions of the value at the key path.
    package enum Function: Hashable, Sendable {
        /// The value itself.
        case value
        /// The first letter under a locale.
        case firstLetter(locale: String, diacritics: Diacritics)
        /// The calendar year of a date in a time zone.
        case year(timeZone: String)
        /// The calendar month of a date in a time zone, as year × 100 + month.
        case month(timeZone: String)
        /// The value of a function of the app.
        case computed(ComputedKey)
    }

    /// Whether letters with marks are grouped with the plain letter.
    public enum Diacritics: String, Hashable, Sendable {
        /// É is under E, unless the locale treats the two as different letters, as Swedish does for O and Ö.
        /// Texts of one letter are adjacent in the locale's order.
        case together
        /// É and E are separate letters. Rows must be sorted by the letter first.
        case apart
    }

    /// The dotted key path.
    package let path: String
    /// The function of its value.
    package let function: Function

    /// Creates an expression for a dotted key path.
    package init(path: String, function: Function = .value) {
        self.path = path
        self.function = function
    }

    /// Returns the value at a dotted key path, which may lead through to-one relationships.
    public static func path(_ path: String) -> Self { Self(path: path) }

    /// Returns the first letter of a text, in upper case, or `#` for a text that does not begin with a
    /// letter. A missing value stays missing.
    ///
    /// The locale's order determines the letter: Ø is an O in English, “Ch” a separate letter in Czech, and a
    /// text that begins with a space precedes all letters. So rows that are sorted by the text in the order
    /// of the same locale are grouped by their letters.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - locale: The locale of the alphabet: in Swedish Ö is a separate letter, and in Turkish i becomes İ.
    ///   - diacritics: Whether É is under E.
    public static func firstLetter(
        of path: String, locale: Locale = Locale(identifier: "en"), diacritics: Diacritics = .together
    ) -> Self {
        Self(path: path, function: .firstLetter(locale: locale.identifier, diacritics: diacritics))
    }

    /// Returns the year of a date in a time zone, in the proleptic Gregorian calendar with a year 0 (ISO
    /// 8601).
    public static func year(of path: String, in timeZone: TimeZone) -> Self {
        Self(path: path, function: .year(timeZone: timeZone.identifier))
    }

    /// Returns the month of a date in a time zone, displayed as `2024-03`.
    public static func month(of path: String, in timeZone: TimeZone) -> Self {
        Self(path: path, function: .month(timeZone: timeZone.identifier))
    }

    /// Returns the value that a function of the app computes from the value at a dotted key path, which must
    /// have the type that the function takes.
    public static func computed(_ function: some KeyFunction, of path: String) -> Self {
        Self(path: path, function: .computed(ComputedKey(function)))
    }
}

extension KeyExpression: ExpressibleByStringLiteral {
    /// Creates the expression for a dotted key path.
    public init(stringLiteral path: String) { self.init(path: path) }
}

extension KeyExpression: CustomStringConvertible {
    /// The expression as readable text: `artist.name`, `first letter of title (en)`.
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

    /// Returns the type of the value; nil for a relationship, and for a key path that the model does not
    /// contain.
    ///
    /// - Complexity: O(*d*) for a path of *d* names.
    package func type(of entity: EntityDescription, in model: ManagedObjectModel) -> AttributeType? {
        switch function {
        case .value where isAggregate: aggregateType(of: entity, in: model)
        case .value: model.typeOfAttribute(path, from: entity)
        case .firstLetter: .string
        case .year, .month: .integer64
        case .computed(let key): key.keyType
        }
    }
}
