/// True for objects with this value; nil equals nil.
public func == <Object: ManagedObject, Value: AttributeValue>(
    keyPath: KeyPath<Object, Value>, value: Value
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .equal, value)
}

/// True for objects with another value; nil differs from every value.
public func != <Object: ManagedObject, Value: AttributeValue>(
    keyPath: KeyPath<Object, Value>, value: Value
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .notEqual, value)
}

/// True for objects with a smaller value.
public func < <Object: ManagedObject, Value: OrderedAttributeValue>(
    keyPath: KeyPath<Object, Value>, value: Value
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .lessThan, value)
}

/// True for objects with this value or a smaller one.
public func <= <Object: ManagedObject, Value: OrderedAttributeValue>(
    keyPath: KeyPath<Object, Value>, value: Value
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .lessThanOrEqual, value)
}

/// True for objects with a greater value.
public func > <Object: ManagedObject, Value: OrderedAttributeValue>(
    keyPath: KeyPath<Object, Value>, value: Value
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .greaterThan, value)
}

/// True for objects with this value or a greater one.
public func >= <Object: ManagedObject, Value: OrderedAttributeValue>(
    keyPath: KeyPath<Object, Value>, value: Value
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .greaterThanOrEqual, value)
}

/// True for objects whose relationship leads to `object`, or nowhere for nil.
public func == <Object: ManagedObject, Destination: ManagedObject>(
    keyPath: KeyPath<Object, Destination?>, object: Destination?
) -> FetchRequest<Object>.Predicate {
    .compare(keyPath, .equal, object)
}

/// True for objects whose relationship leads elsewhere than to `object`; for nil, those where it leads
/// somewhere.
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
