/// Declares an attribute of a ``ManagedObject`` subclass.
///
/// The property's name, type and initial value are the attribute's name, type and default. An optional type
/// makes the attribute optional.
///
/// ```swift
/// @Attribute var title: String = ""
/// @Attribute(.unique) var isbn: String?
/// ```
@propertyWrapper
public struct Attribute<Value> {
    // The constraint is on the members, because conformances of a constrained type would be looked up at
    // launch.
    /// The wrapper's position among the properties of a prototype; −1 in other objects.
    @usableFromInline let position: Int16

    /// Declares an attribute with a default.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, which each new object has.
    ///   - options: Whether the attribute is indexed, unique, transient or stored externally; by default none
    ///     of these.
    // Inlinable, here and below, so that no generic type has to be instantiated at launch.
    @inlinable
    public init(wrappedValue: Value, _ options: AttributeOptions = []) where Value: AttributeValue {
        position = PropertyCollector.note {
            .attribute(
                type: Value.attributeType, isOptional: Value.isOptional, options: options,
                defaultValue: wrappedValue.storedValue, transformerName: nil, details: nil)
        }
    }

    /// Declares an attribute with a default, and with rules for its values, an earlier name, or a derivation.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, which each new object has.
    ///   - options: Whether the attribute is indexed, unique, transient or stored externally; by default none
    ///     of these.
    ///   - details: The rules for the values, the earlier name, and the rule by which the store computes the
    ///     value.
    @inlinable
    public init(
        wrappedValue: Value, _ options: AttributeOptions = [],
        details: @escaping @autoclosure () -> AttributeDetails
    ) where Value: AttributeValue {
        position = PropertyCollector.note {
            .attribute(
                type: Value.attributeType, isOptional: Value.isOptional, options: options,
                defaultValue: wrappedValue.storedValue, transformerName: nil, details: details())
        }
    }

    /// Declares an attribute without a default: an optional one is nil; any other must be set before the
    /// object is saved.
    ///
    /// - Parameter options: Whether the attribute is indexed, unique, transient or stored externally; by
    ///   default none of these.
    @inlinable
    public init(_ options: AttributeOptions = []) where Value: AttributeValue {
        position = PropertyCollector.note {
            .attribute(
                type: Value.attributeType, isOptional: Value.isOptional, options: options,
                defaultValue: .null,
                transformerName: nil, details: nil)
        }
    }

    /// Declares an attribute without a default, and with rules for its values, an earlier name, or a
    /// derivation.
    ///
    /// - Parameters:
    ///   - options: Whether the attribute is indexed, unique, transient or stored externally; by default none
    ///     of these.
    ///   - details: The rules for the values, the earlier name, and the rule by which the store computes the
    ///     value.
    @inlinable
    public init(
        _ options: AttributeOptions = [], details: @escaping @autoclosure () -> AttributeDetails
    ) where Value: AttributeValue {
        position = PropertyCollector.note {
            .attribute(
                type: Value.attributeType, isOptional: Value.isOptional, options: options,
                defaultValue: .null,
                transformerName: nil, details: details())
        }
    }

    /// Only classes derived from ``ManagedObject`` can have attributes.
    @available(*, unavailable, message: "@Attribute belongs in a subclass of ManagedObject")
    public var wrappedValue: Value {
        get { preconditionFailure("@Attribute belongs in a subclass of ManagedObject.") }
        set { preconditionFailure("@Attribute belongs in a subclass of ManagedObject.") }
    }

    /// Reads and writes the attribute of an object.
    @inlinable
    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<Object, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Object, Self>
    ) -> Value where Value: AttributeValue {
        get {
            guard let slot = slot(of: object, storageKeyPath), let stored = object.storedValue(inSlot: slot)
            else {
                return Value.placeholder
            }
            if let value = Value(storedValue: stored) { return value }
            object.noteUnreadable(stored, inSlot: slot, as: Value.self)
            return Value.placeholder
        }
        set {
            guard let slot = slot(of: object, storageKeyPath) else { return }
            object.setStoredValue(newValue.storedValue, inSlot: slot)
        }
    }

    /// Returns the slot of the attribute; nil for a prototype.
    @inlinable
    static func slot<Object: ManagedObject>(
        of object: Object, _ storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Int? {
        object.knownSlot(at: storage)
            ?? object.findSlot(at: storage) {
                Int(unsafeDowncast($0, to: Object.self)[keyPath: storage].position)
            }
    }
}

extension Attribute: PropertyDeclaration {}
