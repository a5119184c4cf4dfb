import Foundation

/// Declares a transformable attribute of a ``ManagedObject`` subclass: a value of any type, stored as bytes
/// by a transformer.
///
/// ```swift
/// @Transformable var tags: [String] = []
/// @Transformable var settings: Settings?
/// @Transformable(by: RectangleTransformer.self) var frame: Rectangle = .zero
/// ```
///
/// If the transformer cannot decode the bytes, the property shows its default and ``ManagedObject/readError``
/// describes the failure; the object's other properties are not affected.
@propertyWrapper
public struct Transformable<Value> {
    /// The wrapper's position among the properties of a prototype; −1 in other objects.
    @usableFromInline let position: Int16
    /// The value of the property if the stored bytes cannot be decoded.
    private let placeholder: Value
    private let transformer: any AttributeTransformer.Type

    private init<Transformer: AttributeTransformer>(
        _ placeholder: Value, by transformer: Transformer.Type, _ options: AttributeOptions
    ) {
        self.placeholder = placeholder
        self.transformer = transformer
        position = PropertyCollector.note {
            do {
                return .attribute(
                    type: .transformable, isOptional: Value.self is any OptionalValue.Type, options: options,
                    defaultValue: try Self.storedValue(of: placeholder, by: transformer),
                    transformerName: transformer.name, details: nil)
            } catch {
                preconditionFailure("\(Transformer.name) cannot encode the default \(placeholder): \(error)")
            }
        }
    }

    /// Declares an attribute with a default.
    ///
    /// The transformer must be able to encode the default; otherwise it is a programming error and traps.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, which each new object has.
    ///   - transformer: The type that encodes and decodes the values.
    ///   - options: Whether the attribute is indexed, unique, transient or stored externally; by default none
    ///     of these.
    public init<Transformer: AttributeTransformer>(
        wrappedValue: Value, by transformer: Transformer.Type, _ options: AttributeOptions = []
    ) where Transformer.Value == Value {
        self.init(wrappedValue, by: transformer, options)
    }

    /// Declares an optional attribute, which is nil if the declaration assigns no value.
    ///
    /// The transformer must be able to encode the default; otherwise it is a programming error and traps.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, which each new object has.
    ///   - transformer: The type that encodes and decodes the values.
    ///   - options: Whether the attribute is indexed, unique, transient or stored externally; by default none
    ///     of these.
    public init<Transformer: AttributeTransformer>(
        wrappedValue: Value = nil, by transformer: Transformer.Type, _ options: AttributeOptions = []
    ) where Value == Transformer.Value? {
        self.init(wrappedValue, by: transformer, options)
    }

    /// Declares an attribute of a `Codable` type, with a default; an optional one is nil if the declaration
    /// assigns no value.
    ///
    /// The default must be encodable as JSON; otherwise it is a programming error and traps.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, which each new object has.
    ///   - options: Whether the attribute is indexed, unique, transient or stored externally; by default none
    ///     of these.
    public init(wrappedValue: Value, _ options: AttributeOptions = []) where Value: Codable {
        self.init(wrappedValue, by: CodableTransformer<Value>.self, options)
    }

    /// Only classes derived from ``ManagedObject`` can have attributes.
    @available(*, unavailable, message: "@Transformable belongs in a subclass of ManagedObject")
    public var wrappedValue: Value {
        get { preconditionFailure("@Transformable belongs in a subclass of ManagedObject.") }
        set { preconditionFailure("@Transformable belongs in a subclass of ManagedObject.") }
    }

    /// Reads and writes the attribute of an object.
    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<Object, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Object, Self>
    ) -> Value {
        get {
            let wrapper = object[keyPath: storageKeyPath]
            guard let slot = slot(of: object, storageKeyPath), let stored = object.storedValue(inSlot: slot)
            else {
                return wrapper.placeholder
            }
            do {
                return try wrapper.value(of: stored)
            } catch {
                object.noteUnreadable(stored, inSlot: slot, as: Value.self, because: "\(error)")
                return wrapper.placeholder
            }
        }
        set {
            guard let slot = slot(of: object, storageKeyPath) else { return }
            do {
                let wrapper = object[keyPath: storageKeyPath]
                let value = try storedValue(of: newValue, by: wrapper.transformer)
                object.setStoredValue(value, inSlot: slot)
            } catch {
                object.noteUnwritable(newValue, inSlot: slot, because: error)
            }
        }
    }

    private func value(of stored: StoredValue) throws -> Value {
        switch stored {
        case .null:
            if let none = (Value.self as? any OptionalValue.Type)?.nothing as? Value { return none }
            throw TransformationError("no value")
        case .blob(let bytes):
            let value: Any = try transformer.value(from: Data(bytes))
            guard let value = value as? Value else {
                throw TransformationError("the transformer made a \(type(of: value))")
            }
            return value
        default: throw TransformationError("not bytes")
        }
    }

    /// Returns the bytes of a value; null if it is nil.
    private static func storedValue<Transformer: AttributeTransformer>(
        of value: Value, by transformer: Transformer.Type
    ) throws -> StoredValue {
        if let value = value as? any OptionalValue, value.isNothing { return .null }
        guard let value = value as? Transformer.Value else { return .null }
        return try Transformer.data(from: value).storedValue
    }

    /// Returns the slot of the attribute; nil for a prototype.
    private static func slot<Object: ManagedObject>(
        of object: Object, _ storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Int? {
        object.knownSlot(at: storage)
            ?? object.findSlot(at: storage) {
                Int(unsafeDowncast($0, to: Object.self)[keyPath: storage].position)
            }
    }
}

extension Transformable: PropertyDeclaration {}

/// An optional value whose type is not known statically.
private protocol OptionalValue {
    static var nothing: Self { get }
    var isNothing: Bool { get }
}

extension Optional: OptionalValue {
    fileprivate static var nothing: Self { nil }
    fileprivate var isNothing: Bool { self == nil }
}
