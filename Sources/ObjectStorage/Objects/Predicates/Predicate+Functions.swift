extension FetchRequest.Predicate {
    /// True for objects whose text equals `text`, ignoring case or diacritics if specified.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a text, through declared properties. One that computes a value traps.
    ///   - text: The text to compare with.
    ///   - ignoringCase: Whether letters in upper and lower case are equal, by Unicode's case folding.
    ///   - ignoringDiacritics: Whether letters with marks are equal to the plain letters.
    public static func equal<Value: TextAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ text: String, ignoringCase: Bool,
        ignoringDiacritics: Bool = false
    ) -> Self {
        .comparison(
            ManagedObject.propertyPath(of: keyPath), .equal, .text(text), ignoringCase: ignoringCase,
            ignoringDiacritics: ignoringDiacritics)
    }

    /// True for objects whose text begins with `text`.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a text, through declared properties. One that computes a value traps.
    ///   - text: The text to search for, taken literally.
    ///   - ignoringCase: Whether letters in upper and lower case are equal, by Unicode's case folding.
    ///   - ignoringDiacritics: Whether letters with marks are equal to the plain letters.
    public static func beginsWith<Value: TextAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ text: String, ignoringCase: Bool = false,
        ignoringDiacritics: Bool = false
    ) -> Self {
        .beginsWith(
            ManagedObject.propertyPath(of: keyPath), text, ignoringCase: ignoringCase,
            ignoringDiacritics: ignoringDiacritics)
    }

    /// True for objects whose text contains `text`.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a text, through declared properties. One that computes a value traps.
    ///   - text: The text to search for, taken literally.
    ///   - ignoringCase: Whether letters in upper and lower case are equal, by Unicode's case folding.
    ///   - ignoringDiacritics: Whether letters with marks are equal to the plain letters.
    public static func contains<Value: TextAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ text: String, ignoringCase: Bool = false,
        ignoringDiacritics: Bool = false
    ) -> Self {
        .contains(
            ManagedObject.propertyPath(of: keyPath), text, ignoringCase: ignoringCase,
            ignoringDiacritics: ignoringDiacritics)
    }

    /// True for objects whose text ends with `text`.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a text, through declared properties. One that computes a value traps.
    ///   - text: The text to search for, taken literally.
    ///   - ignoringCase: Whether letters in upper and lower case are equal, by Unicode's case folding.
    ///   - ignoringDiacritics: Whether letters with marks are equal to the plain letters.
    public static func endsWith<Value: TextAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ text: String, ignoringCase: Bool = false,
        ignoringDiacritics: Bool = false
    ) -> Self {
        .endsWith(
            ManagedObject.propertyPath(of: keyPath), text, ignoringCase: ignoringCase,
            ignoringDiacritics: ignoringDiacritics)
    }

    /// True for objects whose entire text matches a pattern, in which `*` matches any number of characters,
    /// including none, and `?` matches one.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a text, through declared properties. One that computes a value traps.
    ///   - pattern: The pattern. A backslash escapes `*`, `?` and itself.
    ///   - ignoringCase: Whether letters in upper and lower case are equal, by Unicode's case folding.
    ///   - ignoringDiacritics: Whether letters with marks are equal to the plain letters.
    public static func like<Value: TextAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ pattern: String, ignoringCase: Bool = false,
        ignoringDiacritics: Bool = false
    ) -> Self {
        .like(
            ManagedObject.propertyPath(of: keyPath), pattern, ignoringCase: ignoringCase,
            ignoringDiacritics: ignoringDiacritics)
    }

    /// True for objects whose entire text matches a regular expression.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a text, through declared properties. One that computes a value traps.
    ///   - expression: An ICU regular expression of at most 4,096 bytes of UTF-8. If it is longer or invalid,
    ///     or takes too many steps, the fetch throws an error.
    ///   - ignoringCase: Whether letters in upper and lower case are equal, by ICU's rules.
    ///   - ignoringDiacritics: Whether letters with marks are equal to the plain letters.
    public static func matches<Value: TextAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ expression: String, ignoringCase: Bool = false,
        ignoringDiacritics: Bool = false
    ) -> Self {
        .matches(
            ManagedObject.propertyPath(of: keyPath), expression, ignoringCase: ignoringCase,
            ignoringDiacritics: ignoringDiacritics)
    }

    /// True for objects whose value is one of `values`.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - values: The values, of which nil represents a missing value. With no values, the predicate is
    ///     false.
    /// - Complexity: O(*n*) in the number of values.
    public static func isIn<Value: AttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ values: some Sequence<Value>
    ) -> Self {
        .isIn(ManagedObject.propertyPath(of: keyPath), values.map(\.storedValue))
    }

    /// True for objects whose relationship leads to one of `objects`.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a to-one relationship, through declared properties. One that computes a
    ///     value traps.
    ///   - objects: The objects, which are compared by their identities. With no objects, the predicate is
    ///     false.
    /// - Complexity: O(*n*) in the number of objects.
    public static func isIn<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, Destination?>, _ objects: some Sequence<Destination>
    ) -> Self {
        let path = ManagedObject.propertyPath(of: keyPath)
        return Self(.comparison(.path(path), .isIn, .list(objects.map { .object($0.objectID) })))
    }

    /// True for objects whose value lies in a closed range.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - range: The bounds, both included.
    public static func isBetween<Value: OrderedAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ range: ClosedRange<Value>
    ) -> Self {
        .isBetween(
            ManagedObject.propertyPath(of: keyPath), range.lowerBound.storedValue,
            range.upperBound.storedValue)
    }

    /// True for objects whose optional value lies in a closed range; false for those without a value.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - range: The bounds, both included.
    public static func isBetween<Value: OrderedAttributeValue>(
        _ keyPath: KeyPath<Object, Value?>, _ range: ClosedRange<Value>
    ) -> Self {
        .isBetween(
            ManagedObject.propertyPath(of: keyPath), range.lowerBound.storedValue,
            range.upperBound.storedValue)
    }

    /// True for objects without a value.
    ///
    /// - Parameter keyPath: The key path of an attribute, through declared properties. One that computes a
    ///   value traps.
    public static func isNil<Value: AttributeValue>(_ keyPath: KeyPath<Object, Value?>) -> Self {
        .isNil(ManagedObject.propertyPath(of: keyPath))
    }

    /// True for objects whose relationship is nil.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship, through declared properties. One that
    ///   computes a value traps.
    public static func isNil<Destination: ManagedObject>(_ keyPath: KeyPath<Object, Destination?>) -> Self {
        .isNil(ManagedObject.propertyPath(of: keyPath))
    }
}
