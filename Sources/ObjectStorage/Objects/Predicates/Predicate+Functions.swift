extension FetchRequest.Predicate {
    /// True for objects whose text equals `text`, ignoring case or diacritics if specified.
    public static func equal<Value: TextAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ text: String, ignoringCase: Bool,
        ignoringDiacritics: Bool = false
    ) -> Self {
        .comparison(
            ManagedObject.propertyPath(of: keyPath), .equal, .text(text), ignoringCase: ignoringCase,
            ignoringDiacritics: ignoringDiacritics)
    }

    /// True for objects whose text begins with `text`.
    public static func beginsWith<Value: TextAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ text: String, ignoringCase: Bool = false,
        ignoringDiacritics: Bool = false
    ) -> Self {
        .beginsWith(
            ManagedObject.propertyPath(of: keyPath), text, ignoringCase: ignoringCase,
            ignoringDiacritics: ignoringDiacritics)
    }

    /// True for objects whose text contains `text`.
    public static func contains<Value: TextAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ text: String, ignoringCase: Bool = false,
        ignoringDiacritics: Bool = false
    ) -> Self {
        .contains(
            ManagedObject.propertyPath(of: keyPath), text, ignoringCase: ignoringCase,
            ignoringDiacritics: ignoringDiacritics)
    }

    /// True for objects whose text ends with `text`.
    public static func endsWith<Value: TextAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ text: String, ignoringCase: Bool = false,
        ignoringDiacritics: Bool = false
    ) -> Self {
        .endsWith(
            ManagedObject.propertyPath(of: keyPath), text, ignoringCase: ignoringCase,
            ignoringDiacritics: ignoringDiacritics)
    }

    /// True for objects whose entire text matches a pattern, in which `*` stands for any characters and `?`
    /// for one.
    public static func like<Value: TextAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ pattern: String, ignoringCase: Bool = false,
        ignoringDiacritics: Bool = false
    ) -> Self {
        .like(
            ManagedObject.propertyPath(of: keyPath), pattern, ignoringCase: ignoringCase,
            ignoringDiacritics: ignoringDiacritics)
    }

    /// True for objects whose entire text matches a regular expression.
    public static func matches<Value: TextAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ expression: String, ignoringCase: Bool = false,
        ignoringDiacritics: Bool = false
    ) -> Self {
        .matches(
            ManagedObject.propertyPath(of: keyPath), expression, ignoringCase: ignoringCase,
            ignoringDiacritics: ignoringDiacritics)
    }

    /// True for objects whose value is one of `values`.
    public static func isIn<Value: AttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ values: some Sequence<Value>
    ) -> Self {
        .isIn(ManagedObject.propertyPath(of: keyPath), values.map(\.storedValue))
    }

    /// True for objects whose relationship leads to one of `objects`.
    public static func isIn<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, Destination?>, _ objects: some Sequence<Destination>
    ) -> Self {
        let path = ManagedObject.propertyPath(of: keyPath)
        return Self(.comparison(.path(path), .isIn, .list(objects.map { .object($0.objectID) })))
    }

    /// True for objects whose value is in `range`, both bounds included.
    public static func isBetween<Value: OrderedAttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ range: ClosedRange<Value>
    ) -> Self {
        .isBetween(
            ManagedObject.propertyPath(of: keyPath), range.lowerBound.storedValue,
            range.upperBound.storedValue)
    }

    /// True for objects whose optional value is in `range`, both bounds included.
    public static func isBetween<Value: OrderedAttributeValue>(
        _ keyPath: KeyPath<Object, Value?>, _ range: ClosedRange<Value>
    ) -> Self {
        .isBetween(
            ManagedObject.propertyPath(of: keyPath), range.lowerBound.storedValue,
            range.upperBound.storedValue)
    }

    /// True for objects without a value.
    public static func isNil<Value: AttributeValue>(_ keyPath: KeyPath<Object, Value?>) -> Self {
        .isNil(ManagedObject.propertyPath(of: keyPath))
    }

    /// True for objects whose relationship is nil.
    public static func isNil<Destination: ManagedObject>(_ keyPath: KeyPath<Object, Destination?>) -> Self {
        .isNil(ManagedObject.propertyPath(of: keyPath))
    }
}
