public import Foundation

/// What rows are grouped by into sections, and what the sections are called.
///
/// A string literal is a key path, which may lead through to-one relationships: `"department"`,
/// `"artist.name"`. The rows must be sorted so that rows of one section stand together; sort by the key
/// first, or by something with the same order.
public struct SectionKey: Hashable, Sendable {
    /// What tells sections apart.
    public let expression: KeyExpression
    /// What sections are called, if not by ``expression``: its value in the section's first row.
    public let nameExpression: KeyExpression?
    /// The sections that are there also without rows, in the order in which they come, before all others.
    public private(set) var declaredSections: [DeclaredSection] = []

    /// Groups by an expression.
    ///
    /// - Parameters:
    ///   - expression: What tells sections apart: two rows are in one section when it has the same stored
    ///     value.
    ///   - nameExpression: What sections are called instead, for instance `"artist.name"` where `"artist"`
    ///     tells them apart and two artists have the same name.
    public init(_ expression: KeyExpression, namedBy nameExpression: KeyExpression? = nil) {
        self.expression = expression
        self.nameExpression = nameExpression
    }

    /// Whether what tells sections apart, or what they are called, may depend on Foundation's tables of
    /// locales or time zones.
    var dependsOnFoundation: Bool {
        expression.dependsOnFoundation || nameExpression?.dependsOnFoundation == true
    }

    /// The key with sections that are there also without rows.
    ///
    /// ```swift
    /// SectionKey("status").declaring(["open", "in work", "done"])
    /// ```
    ///
    /// They come in the order of the list, whatever the rows are sorted by; rows of other sections follow, in
    /// sections of their own.
    ///
    /// - Parameter sections: Each key once.
    public func declaring(_ sections: [DeclaredSection]) -> Self {
        var key = self
        key.declaredSections = sections
        return key
    }

    /// Groups by the value at a dotted key path.
    public static func path(_ path: String) -> Self { Self(.path(path)) }

    /// Groups by the value at a Swift key path.
    public static func path<Object: ManagedObject, Value>(_ keyPath: KeyPath<Object, Value>) -> Self {
        Self(.path(keyPath))
    }

    /// Groups by the first letter of a text. See
    /// ``ObjectStorage/KeyExpression/firstLetter(of:locale:diacritics:)-(String,_,_)``.
    public static func firstLetter(
        of path: String, locale: Locale = Locale(identifier: "en"),
        diacritics: KeyExpression.Diacritics = .together
    ) -> Self {
        Self(.firstLetter(of: path, locale: locale, diacritics: diacritics))
    }

    /// Groups by the first letter of the text at a Swift key path.
    public static func firstLetter<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, locale: Locale = Locale(identifier: "en"),
        diacritics: KeyExpression.Diacritics = .together
    ) -> Self {
        Self(.firstLetter(of: keyPath, locale: locale, diacritics: diacritics))
    }

    /// Groups by the year of a date in a time zone.
    public static func year(of path: String, in timeZone: TimeZone) -> Self {
        Self(.year(of: path, in: timeZone))
    }

    /// Groups by the year of the date at a Swift key path.
    public static func year<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        Self(.year(of: keyPath, in: timeZone))
    }

    /// Groups by the month of a date in a time zone.
    public static func month(of path: String, in timeZone: TimeZone) -> Self {
        Self(.month(of: path, in: timeZone))
    }

    /// Groups by the month of the date at a Swift key path.
    public static func month<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        Self(.month(of: keyPath, in: timeZone))
    }

    /// Groups by what a function computes from the value at a dotted key path. See
    /// ``ObjectStorage/KeyFunction``.
    public static func computed(_ function: some KeyFunction, of path: String) -> Self {
        Self(.computed(function, of: path))
    }

    /// Groups by what a function computes from the value at a Swift key path.
    public static func computed<Object: ManagedObject, Function: KeyFunction>(
        _ function: Function, of keyPath: KeyPath<Object, Function.Value>
    ) -> Self {
        Self(.computed(function, of: keyPath))
    }

    /// Groups by what a function computes from the value at a Swift key path; rows without a value are a
    /// section of their own.
    public static func computed<Object: ManagedObject, Function: KeyFunction>(
        _ function: Function, of keyPath: KeyPath<Object, Function.Value?>
    ) -> Self {
        Self(.computed(function, of: keyPath))
    }
}

extension SectionKey: ExpressibleByStringLiteral {
    /// Groups by the value at a dotted key path.
    public init(stringLiteral path: String) { self.init(.path(path)) }
}

extension SectionKey: CustomStringConvertible {
    /// The key in words.
    public var description: String {
        nameExpression.map { "\(expression), named by \($0)" } ?? expression.description
    }
}
