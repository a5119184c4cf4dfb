public import Foundation

extension KeyExpression {
    /// The value at a Swift key path.
    ///
    /// - Parameter keyPath: The key path of a property, through declared properties. One that computes a
    ///   value traps.
    public static func path<Object: ManagedObject, Value>(_ keyPath: KeyPath<Object, Value>) -> Self {
        Self(path: ManagedObject.propertyPath(of: keyPath))
    }

    /// The first letter of the text at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a string attribute, through declared properties. One that computes a
    ///     value traps.
    ///   - locale: The locale of the alphabet; English by default.
    ///   - diacritics: Whether letters with marks are grouped with the plain letter.
    public static func firstLetter<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in locale: Locale = Locale(identifier: "en"),
        diacritics: Diacritics = .together
    ) -> Self {
        .firstLetter(of: ManagedObject.propertyPath(of: keyPath), in: locale, diacritics: diacritics)
    }

    /// The first letter of the text at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a string attribute, through declared properties. One that computes a
    ///     value traps.
    ///   - locale: The locale of the alphabet.
    ///   - diacritics: Whether letters with marks are grouped with the plain letter.
    @available(*, deprecated, renamed: "firstLetter(of:in:diacritics:)")
    public static func firstLetter<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, locale: Locale, diacritics: Diacritics = .together
    ) -> Self {
        .firstLetter(of: keyPath, in: locale, diacritics: diacritics)
    }

    /// The letter under which an alphabetic index lists the text at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a string attribute, through declared properties. One that computes a
    ///     value traps.
    ///   - locale: The locale of the alphabet; English by default.
    public static func indexLetter<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in locale: Locale = Locale(identifier: "en")
    ) -> Self {
        .indexLetter(of: ManagedObject.propertyPath(of: keyPath), in: locale)
    }

    /// The text at a Swift key path without regard to case and marks.
    ///
    /// - Parameter keyPath: The key path of a string attribute, through declared properties. One that
    ///   computes a value traps.
    public static func foldedText<Object: ManagedObject, Value>(of keyPath: KeyPath<Object, Value>) -> Self {
        .foldedText(of: ManagedObject.propertyPath(of: keyPath))
    }

    /// The year of the date at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a date attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - timeZone: The time zone in which years begin.
    public static func year<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        .year(of: ManagedObject.propertyPath(of: keyPath), in: timeZone)
    }

    /// The month of the date at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a date attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - timeZone: The time zone in which months begin.
    public static func month<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        .month(of: ManagedObject.propertyPath(of: keyPath), in: timeZone)
    }

    /// The day of the date at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a date attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - timeZone: The time zone in which days begin.
    public static func day<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        .day(of: ManagedObject.propertyPath(of: keyPath), in: timeZone)
    }

    /// The week of the date at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a date attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - timeZone: The time zone in which weeks begin.
    public static func week<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        .week(of: ManagedObject.propertyPath(of: keyPath), in: timeZone)
    }

    /// The quarter of the date at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a date attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - timeZone: The time zone in which quarters begin.
    public static func quarter<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        .quarter(of: ManagedObject.propertyPath(of: keyPath), in: timeZone)
    }

    /// The decade of the date at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a date attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - timeZone: The time zone in which decades begin.
    public static func decade<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        .decade(of: ManagedObject.propertyPath(of: keyPath), in: timeZone)
    }

    /// The range that contains the number at a Swift key path, of ranges of equal length.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an attribute of integers, floating-point numbers or decimals. One that
    ///     computes a value traps.
    ///   - step: The length of a range, above 0. One range begins at 0.
    public static func range<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, step: Decimal
    ) -> Self {
        .range(of: ManagedObject.propertyPath(of: keyPath), step: step)
    }

    /// The range that contains the number at a Swift key path, of ranges between bounds.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an attribute of integers, floating-point numbers or decimals. One that
    ///     computes a value traps.
    ///   - bounds: The bounds, in any order; at least one.
    public static func range<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, bounds: [Decimal]
    ) -> Self {
        .range(of: ManagedObject.propertyPath(of: keyPath), bounds: bounds)
    }

    /// The result of a function of the value at a Swift key path.
    ///
    /// - Parameters:
    ///   - function: The function. SQLite calls it for each row that it sorts or groups.
    ///   - keyPath: The key path of an attribute, through declared properties. One that computes a value
    ///     traps.
    public static func computed<Object: ManagedObject, Function: KeyFunction>(
        _ function: Function, of keyPath: KeyPath<Object, Function.Value>
    ) -> Self {
        .computed(function, of: ManagedObject.propertyPath(of: keyPath))
    }

    /// The result of a function of the optional value at a Swift key path; nil if there is no value.
    ///
    /// - Parameters:
    ///   - function: The function. SQLite calls it for each row that has a value.
    ///   - keyPath: The key path of an optional attribute, or of an attribute behind an optional
    ///     relationship. One that computes a value traps.
    public static func computed<Object: ManagedObject, Function: KeyFunction>(
        _ function: Function, of keyPath: KeyPath<Object, Function.Value?>
    ) -> Self {
        .computed(function, of: ManagedObject.propertyPath(of: keyPath))
    }
}
