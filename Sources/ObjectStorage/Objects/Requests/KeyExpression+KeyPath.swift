public import Foundation

extension KeyExpression {
    /// The value at a Swift key path.
    public static func path<Object: ManagedObject, Value>(_ keyPath: KeyPath<Object, Value>) -> Self {
        Self(path: ManagedObject.propertyPath(of: keyPath))
    }

    /// The first letter of the text at a Swift key path.
    public static func firstLetter<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, locale: Locale = Locale(identifier: "en"),
        diacritics: Diacritics = .together
    ) -> Self {
        .firstLetter(of: ManagedObject.propertyPath(of: keyPath), locale: locale, diacritics: diacritics)
    }

    /// The year of the date at a Swift key path.
    public static func year<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        .year(of: ManagedObject.propertyPath(of: keyPath), in: timeZone)
    }

    /// The month of the date at a Swift key path.
    public static func month<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        .month(of: ManagedObject.propertyPath(of: keyPath), in: timeZone)
    }

    /// The result of a function of the value at a Swift key path.
    public static func computed<Object: ManagedObject, Function: KeyFunction>(
        _ function: Function, of keyPath: KeyPath<Object, Function.Value>
    ) -> Self {
        .computed(function, of: ManagedObject.propertyPath(of: keyPath))
    }

    /// The result of a function of the optional value at a Swift key path; nil if there is no value.
    public static func computed<Object: ManagedObject, Function: KeyFunction>(
        _ function: Function, of keyPath: KeyPath<Object, Function.Value?>
    ) -> Self {
        .computed(function, of: ManagedObject.propertyPath(of: keyPath))
    }
}
