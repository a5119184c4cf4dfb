/// One value computed by SQLite from all objects of a request, or of a group of them.
///
/// Objects without a value are ignored. Without any values, a count is 0 and every other aggregate is nil.
public struct Aggregate<Object: ManagedObject>: Hashable, Sendable {
    /// The aggregate without the Swift type of the objects.
    package let term: AggregateTerm

    private init(_ function: AggregateTerm.Function, _ expression: KeyExpression?) {
        term = AggregateTerm(function: function, expression: expression)
    }

    /// The number of objects.
    public static var count: Self { Self(.count, nil) }
    /// The number of objects that have a value, by a key path written as text.
    ///
    /// - Parameter expression: The key path of an attribute, such as `"artist.name"`, or a computed key.
    public static func count(_ expression: KeyExpression) -> Self { Self(.count, expression) }
    /// The number of different values, by a key path written as text.
    ///
    /// - Parameter expression: The key path of an attribute, such as `"artist.name"`, or a computed key.
    public static func countDistinct(_ expression: KeyExpression) -> Self { Self(.countDistinct, expression) }
    /// The sum of numbers, by a key path written as text. The sum of integers is an integer, which must fit
    /// in 64 bits, and that of decimals a decimal; any other sum is a `Double`.
    ///
    /// - Parameter expression: The key path of a number, such as `"artist.age"`, or a computed key.
    public static func sum(_ expression: KeyExpression) -> Self { Self(.sum, expression) }
    /// The mean of numbers, a `Double`, by a key path written as text.
    ///
    /// - Parameter expression: The key path of a number, or a computed key. A decimal is an error of the
    ///   fetch, because its average may not be an exact decimal.
    public static func average(_ expression: KeyExpression) -> Self { Self(.average, expression) }
    /// The least value, by a key path written as text. Texts compare by their bytes.
    ///
    /// - Parameter expression: The key path of an attribute, such as `"artist.name"`, or a computed key.
    public static func min(_ expression: KeyExpression) -> Self { Self(.min, expression) }
    /// The greatest value, by a key path written as text. Texts compare by their bytes.
    ///
    /// - Parameter expression: The key path of an attribute, such as `"artist.name"`, or a computed key.
    public static func max(_ expression: KeyExpression) -> Self { Self(.max, expression) }
}

extension Aggregate {
    /// The number of objects that have a value.
    ///
    /// - Parameter keyPath: The key path of an attribute, through declared properties. One that computes a
    ///   value traps.
    public static func count<Value: AttributeValue>(_ keyPath: KeyPath<Object, Value>) -> Self {
        .count(.path(keyPath))
    }
    /// The number of different values.
    ///
    /// - Parameter keyPath: The key path of an attribute, through declared properties. One that computes a
    ///   value traps.
    public static func countDistinct<Value: AttributeValue>(_ keyPath: KeyPath<Object, Value>) -> Self {
        .countDistinct(.path(keyPath))
    }
    /// The sum of numbers. The sum of integers is an integer, which must fit in 64 bits, and that of decimals
    /// a decimal; any other sum is a `Double`.
    ///
    /// - Parameter keyPath: The key path of a number. One that computes a value traps, and an attribute that
    ///   is not a number is an error of the fetch.
    public static func sum<Value: AttributeValue>(_ keyPath: KeyPath<Object, Value>) -> Self {
        .sum(.path(keyPath))
    }
    /// The mean of numbers, a `Double`.
    ///
    /// - Parameter keyPath: The key path of a number. One that computes a value traps. A decimal is an error
    ///   of the fetch, because its average may not be an exact decimal.
    public static func average<Value: AttributeValue>(_ keyPath: KeyPath<Object, Value>) -> Self {
        .average(.path(keyPath))
    }
    /// The least value. Texts compare by their bytes.
    ///
    /// - Parameter keyPath: The key path of an attribute, through declared properties. One that computes a
    ///   value traps.
    public static func min<Value: OrderedAttributeValue>(_ keyPath: KeyPath<Object, Value>) -> Self {
        .min(.path(keyPath))
    }
    /// The greatest value. Texts compare by their bytes.
    ///
    /// - Parameter keyPath: The key path of an attribute, through declared properties. One that computes a
    ///   value traps.
    public static func max<Value: OrderedAttributeValue>(_ keyPath: KeyPath<Object, Value>) -> Self {
        .max(.path(keyPath))
    }
}

/// A condition on the groups of a grouped fetch: a comparison of an aggregate with a constant.
///
/// ```swift
/// .count > 1
/// ```
public struct GroupCondition<Object: ManagedObject>: Hashable, Sendable {
    let aggregate: AggregateTerm
    let symbol: String
    let value: StoredValue
}

extension Aggregate {
    /// True for groups whose aggregate is less than a constant.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate of each group.
    ///   - value: The constant. With null, the condition is false.
    public static func < (aggregate: Self, value: StoredValue) -> GroupCondition<Object> {
        GroupCondition(aggregate: aggregate.term, symbol: "<", value: value)
    }
    /// True for groups whose aggregate is at most a constant.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate of each group.
    ///   - value: The constant. With null, the condition is false.
    public static func <= (aggregate: Self, value: StoredValue) -> GroupCondition<Object> {
        GroupCondition(aggregate: aggregate.term, symbol: "<=", value: value)
    }
    /// True for groups whose aggregate is greater than a constant.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate of each group.
    ///   - value: The constant. With null, the condition is false.
    public static func > (aggregate: Self, value: StoredValue) -> GroupCondition<Object> {
        GroupCondition(aggregate: aggregate.term, symbol: ">", value: value)
    }
    /// True for groups whose aggregate is at least a constant.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate of each group.
    ///   - value: The constant. With null, the condition is false.
    public static func >= (aggregate: Self, value: StoredValue) -> GroupCondition<Object> {
        GroupCondition(aggregate: aggregate.term, symbol: ">=", value: value)
    }
}
