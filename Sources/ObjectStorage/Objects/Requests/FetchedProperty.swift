/// One entry of the dictionaries that a fetch returns: a property, a computed value, or an aggregate. A
/// string literal is a key path.
public struct FetchedProperty<Object: ManagedObject>: Hashable, Sendable {
    /// The key of the entry.
    public let name: String
    let column: ValueColumn

    /// The value at a key path written as text, or computed from it.
    ///
    /// - Parameters:
    ///   - expression: The key path, such as `"artist.name"`, or a computed key.
    ///   - name: The key of the entry, if it is not the key path.
    public static func property(_ expression: KeyExpression, as name: String? = nil) -> Self {
        Self(name: name ?? expression.description, column: .value(expression))
    }

    /// The value at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path from the class of the objects.
    ///   - name: The key of the entry, if it is not the key path as text.
    public static func property<Value: AttributeValue>(
        _ keyPath: KeyPath<Object, Value>, as name: String? = nil
    ) -> Self {
        .property(KeyExpression.path(keyPath), as: name)
    }

    /// An aggregate of all objects, or of each group.
    ///
    /// - Parameters:
    ///   - aggregate: The function and the value to which it applies.
    ///   - name: The key of the entry, different from those of the other properties.
    public static func aggregate(_ aggregate: Aggregate<Object>, as name: String) -> Self {
        Self(name: name, column: .aggregate(aggregate.term))
    }
}

extension FetchedProperty: ExpressibleByStringLiteral {
    /// The value at a dotted key path.
    ///
    /// - Parameter path: Property names separated by full stops: `artist.name`. The text is also the key of
    ///   the entry.
    public init(stringLiteral path: String) {
        self.init(name: path, column: .value(.path(path)))
    }
}
