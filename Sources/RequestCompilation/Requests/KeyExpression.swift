package import ObjectModel

/// A value to sort or group by: a property, a property of a related object, or a value computed from a
/// property.
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
        /// The letter of an alphabetic index under a locale.
        case indexLetter(locale: String)
        /// The text without case and marks.
        case foldedText
        /// A unit of the calendar in a time zone.
        case calendar(CalendarUnit, timeZone: String)
        /// A range of numbers.
        case range(NumberRanges)
        /// The value of a function of the app.
        case computed(ComputedKey)
        /// Several values at once.
        case combined([KeyExpression])
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
    ///
    /// - Parameter path: Property names separated by full stops, which lead from the objects through to-one
    ///   relationships: `artist.name`.
    public static func path(_ path: String) -> Self { Self(path: path) }

    /// Returns the value that a function of the app computes from the value at a dotted key path.
    ///
    /// - Parameters:
    ///   - function: The function. SQLite calls it for each row that it sorts or groups.
    ///   - path: A dotted key path to an attribute of the type that the function takes.
    public static func computed(_ function: some KeyFunction, of path: String) -> Self {
        Self(path: path, function: .computed(ComputedKey(function)))
    }
}

extension KeyExpression: ExpressibleByStringLiteral {
    /// Creates the expression for a dotted key path.
    ///
    /// - Parameter path: Property names separated by full stops: `artist.name`.
    public init(stringLiteral path: String) { self.init(path: path) }
}

extension KeyExpression: CustomStringConvertible {
    /// The expression as readable text: `artist.name`, `first letter of title (en)`.
    public var description: String {
        switch function {
        case .value: path
        case .firstLetter(let locale, .together): "first letter of \(path) (\(locale))"
        case .firstLetter(let locale, .apart): "first letter of \(path) (\(locale), marks apart)"
        case .indexLetter(let locale): "index letter of \(path) (\(locale))"
        case .foldedText: "folded text of \(path)"
        case .calendar(let unit, let timeZone): "\(unit.name) of \(path) (\(timeZone))"
        case .range(let ranges): "range of \(path) (\(ranges))"
        case .computed(let key): "key of \(path) (\(key))"
        case .combined(let expressions):
            expressions.dropFirst().reduce(expressions.first?.description ?? "") { "\($0) and \($1)" }
        }
    }
}

extension KeyExpression {
    /// Whether the value may depend on Foundation's tables of locales or time zones.
    package var dependsOnFoundation: Bool {
        if case .combined(let expressions) = function {
            expressions.contains(where: \.dependsOnFoundation)
        } else {
            function != .value
        }
    }

    /// Returns the type of the value; nil for a relationship, and for a key path that the model does not
    /// contain.
    ///
    /// - Complexity: O(*d*) for a path of *d* names.
    package func type(of entity: EntityDescription, in model: ManagedObjectModel) -> AttributeType? {
        switch function {
        case .value where isAggregate: aggregateType(of: entity, in: model)
        case .value: model.typeOfAttribute(path, from: entity)
        case .firstLetter, .indexLetter, .foldedText: .string
        case .calendar: .integer64
        case .range(let ranges): ranges.keyType
        case .computed(let key): key.keyType
        case .combined: nil
        }
    }
}
