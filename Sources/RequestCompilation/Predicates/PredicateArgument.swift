public import Foundation
public import ObjectModel

/// A value for a `%@` or a `$variable` in a predicate's format.
///
/// The types of attributes conform, and so do object IDs, objects, and optionals, arrays and sets of them. An
/// enumeration that is an ``AttributeValue`` only needs to declare the conformance:
/// `extension Genre: PredicateArgument {}`.
public protocol PredicateArgument {
    /// The value as part of a predicate.
    var predicateConstant: PredicateConstant { get }
}

/// A value, a list of values or an object, as part of a predicate.
public struct PredicateConstant: Hashable, Sendable {
    /// The value as an expression of a predicate tree.
    package let expression: PredicateExpression

    /// Creates a constant from an expression.
    package init(_ expression: PredicateExpression) { self.expression = expression }

    /// Creates a constant from a stored value.
    ///
    /// - Parameter value: The value; null for a missing one.
    public init(_ value: StoredValue) { expression = .value(value) }

    /// Creates a constant from the identity of an object.
    ///
    /// - Parameter objectID: The identity of the object.
    public init(_ objectID: ObjectID) { expression = .object(objectID) }

    /// Creates a list of constants.
    ///
    /// - Parameter constants: The elements, which may be values and objects but not lists.
    public init(listOf constants: [PredicateConstant]) { expression = .list(constants.map(\.expression)) }
}

extension PredicateArgument where Self: AttributeValue {
    /// The value as SQLite stores it.
    public var predicateConstant: PredicateConstant { PredicateConstant(storedValue) }
}

extension String: PredicateArgument {}
extension Bool: PredicateArgument {}
extension Int: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension Float: PredicateArgument {}
extension Double: PredicateArgument {}
extension Date: PredicateArgument {}
extension Data: PredicateArgument {}
extension UUID: PredicateArgument {}
extension Decimal: PredicateArgument {}
extension URL: PredicateArgument {}

extension StoredValue: PredicateArgument {
    /// The value itself.
    public var predicateConstant: PredicateConstant { PredicateConstant(self) }
}

extension ObjectID: PredicateArgument {
    /// The object with this identity.
    public var predicateConstant: PredicateConstant { PredicateConstant(self) }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    /// The wrapped value, or nil.
    public var predicateConstant: PredicateConstant { self?.predicateConstant ?? PredicateConstant(.null) }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// A list of the elements.
    public var predicateConstant: PredicateConstant { PredicateConstant(listOf: map(\.predicateConstant)) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    /// A list of the elements, in an order that is the same in every run.
    public var predicateConstant: PredicateConstant {
        let constants = map(\.predicateConstant)
        return PredicateConstant(
            listOf: constants.map { ($0, $0.canonicalBytes) }
                .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0))
    }
}

extension PredicateConstant {
    /// Bytes that are different for different constants.
    fileprivate var canonicalBytes: [UInt8] {
        var encoder = CanonicalEncoder()
        PredicateTree.comparison(expression, .equal, .value(.null)).encode(into: &encoder)
        return encoder.bytes
    }
}
