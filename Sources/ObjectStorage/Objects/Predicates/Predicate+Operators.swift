/// True for objects whose value equals `value`; nil equals nil.
///
/// - Parameters:
///   - keyPath: The key path of an attribute, through declared properties. One that computes a value traps.
///   - value: The constant; nil for objects without a value.
public func == <Object: ManagedObject, Value: AttributeValue>(
    keyPath: KeyPath<Object, Value>, value: Value
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .equal, value)
}

/// True for objects whose value differs from `value`; nil differs from every value.
///
/// - Parameters:
///   - keyPath: The key path of an attribute, through declared properties. One that computes a value traps.
///   - value: The constant; nil for objects with a value.
public func != <Object: ManagedObject, Value: AttributeValue>(
    keyPath: KeyPath<Object, Value>, value: Value
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .notEqual, value)
}

/// True for objects whose value is less than `value`.
///
/// - Parameters:
///   - keyPath: The key path of an attribute, through declared properties. One that computes a value traps.
///   - value: The constant. If it is nil, the predicate is false, as it is for an object without a value.
public func < <Object: ManagedObject, Value: OrderedAttributeValue>(
    keyPath: KeyPath<Object, Value>, value: Value
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .lessThan, value)
}

/// True for objects whose value is less than or equal to `value`.
///
/// - Parameters:
///   - keyPath: The key path of an attribute, through declared properties. One that computes a value traps.
///   - value: The constant. If it is nil, the predicate is false, as it is for an object without a value.
public func <= <Object: ManagedObject, Value: OrderedAttributeValue>(
    keyPath: KeyPath<Object, Value>, value: Value
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .lessThanOrEqual, value)
}

/// True for objects whose value is greater than `value`.
///
/// - Parameters:
///   - keyPath: The key path of an attribute, through declared properties. One that computes a value traps.
///   - value: The constant. If it is nil, the predicate is false, as it is for an object without a value.
public func > <Object: ManagedObject, Value: OrderedAttributeValue>(
    keyPath: KeyPath<Object, Value>, value: Value
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .greaterThan, value)
}

/// True for objects whose value is greater than or equal to `value`.
///
/// - Parameters:
///   - keyPath: The key path of an attribute, through declared properties. One that computes a value traps.
///   - value: The constant. If it is nil, the predicate is false, as it is for an object without a value.
public func >= <Object: ManagedObject, Value: OrderedAttributeValue>(
    keyPath: KeyPath<Object, Value>, value: Value
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .greaterThanOrEqual, value)
}

/// True for objects whose relationship leads to `object`; for nil, objects whose relationship is nil.
///
/// - Parameters:
///   - keyPath: The key path of a to-one relationship, through declared properties. One that computes a value
///     traps.
///   - object: The object to which the relationship leads, compared by its identity; nil for none.
public func == <Object: ManagedObject, Destination: ManagedObject>(
    keyPath: KeyPath<Object, Destination?>, object: Destination?
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .equal, object)
}

/// True for objects whose relationship does not lead to `object`; for nil, objects whose relationship is not
/// nil.
///
/// - Parameters:
///   - keyPath: The key path of a to-one relationship, through declared properties. One that computes a value
///     traps.
///   - object: The object to which the relationship leads, compared by its identity; nil for none.
public func != <Object: ManagedObject, Destination: ManagedObject>(
    keyPath: KeyPath<Object, Destination?>, object: Destination?
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .notEqual, object)
}

extension FetchRequest.Predicate {
    fileprivate static func compare<Value: AttributeValue>(
        _ keyPath: KeyPath<Object, Value>, _ relation: PredicateTree.Relation, _ value: Value
    ) -> Self {
        let path = ManagedObject.propertyPath(of: keyPath)
        return Self(.comparison(.path(path), relation, .value(value.storedValue)))
    }

    fileprivate static func compare<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, Destination?>, _ relation: PredicateTree.Relation,
        _ object: Destination?
    ) -> Self {
        let path = ManagedObject.propertyPath(of: keyPath)
        let constant = object.map { PredicateExpression.object($0.objectID) } ?? .value(.null)
        return Self(.comparison(.path(path), relation, constant))
    }
}
