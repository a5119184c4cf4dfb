import Foundation

/// Finds out which properties a Swift key path reads, by reading it on a prototype.
///
/// A prototype is an object of the right class without entity or context. Its properties give placeholders,
/// and its to-one relationships give prototypes of their own; each read leaves the property's name here. This
/// follows `\Artwork.artist?.name` through the optional as well, and needs no list of key paths that somebody
/// must keep.
final class KeyPathRecorder {
    /// The names of the properties in the order in which they were read.
    private(set) var names: [String] = []
    /// Whether each read followed from the one before. A computed property that reads two properties breaks
    /// the chain.
    private(set) var isChain = true
    /// The type of the last one, if it is an attribute whose values SQLite has as they are.
    private(set) var attributeType: AttributeType?
    private var expected: ObjectIdentifier?
    /// Prototypes are kept until the end, because a freed one's address could come back as another's.
    private var kept: [ManagedObject] = []

    /// Notes that `object` was asked for the property called `name`.
    func record(_ name: String, readOn object: ManagedObject, leadingTo next: ManagedObject? = nil) {
        if let expected, expected != ObjectIdentifier(object) { isChain = false }
        if expected == nil, !names.isEmpty { isChain = false }
        names.append(name)
        attributeType = object.runtime.shape?.typeOfAttribute(called: name)
        expected = next.map(ObjectIdentifier.init)
        if let next { kept.append(next) }
    }
}

extension PropertyLayout {
    /// The type of an attribute of the class, if SQLite has its values as they are.
    fileprivate func typeOfAttribute(called name: String) -> AttributeType? {
        guard let place = names.firstIndex(of: name),
            case .attribute(let type, _, _, _, transformerName: nil, _) = properties[place]
        else { return nil }
        return type
    }
}

extension AttributeType {
    /// Whether values of a Swift type are kept as this type.
    ///
    /// Looking up whether a type can be an attribute's takes long when a program starts, so it is not done
    /// for the usual types.
    fileprivate func isType<Value>(of type: Value.Type) -> Bool {
        let isUsual =
            switch self {
            case .string: type == String.self || type == String?.self
            case .integer16: type == Int16.self || type == Int16?.self
            case .integer32: type == Int32.self || type == Int32?.self
            case .integer64: type == Int.self || type == Int?.self || type == Int64.self
            case .double: type == Double.self || type == Double?.self
            case .boolean: type == Bool.self || type == Bool?.self
            case .date: type == Date.self || type == Date?.self
            default: false
            }
        return isUsual || (type as? any AttributeValue.Type)?.attributeType == self
    }
}

extension ManagedObject {
    /// An object without entity and context, which tells a recorder what is read of it.
    static func prototype(of type: ManagedObject.Type, recorder: KeyPathRecorder) -> ManagedObject {
        let collector = PropertyCollector()
        let prototype = collector.collect {
            type.init(
                Seed(
                    runtime: EntityRuntime(
                        EntityDescription(name: "", attributes: []), of: nil,
                        registry: ObjectRegistry(tableName: "", hasKinds: false), recorder: recorder),
                    key: .temporary(0)))
        }
        prototype.runtime.shape = PropertyLayout(
            of: type, prototype: prototype, properties: collector.properties)
        return prototype
    }

    /// The dotted names that `keyPath` reads: “artist.name” for `\Artwork.artist?.name`.
    ///
    /// A key path that reads no property declared with `@Attribute` or `@Relationship`, or more than one
    /// chain of them, is a programmer's error and traps. So does one that goes on to a value of another type,
    /// as `\Artwork.title.count`. A computed property of the same type cannot be told from the one that it
    /// reads: a ``KeyFunction`` is what computes.
    @usableFromInline
    static func propertyPath<Root: ManagedObject, Value>(of keyPath: KeyPath<Root, Value>) -> String {
        let recorder = KeyPathRecorder()
        let prototype = unsafeDowncast(prototype(of: Root.self, recorder: recorder), to: Root.self)
        withExtendedLifetime(prototype) { _ = prototype[keyPath: keyPath] }
        precondition(
            !recorder.names.isEmpty && recorder.isChain,
            "The key path \(keyPath) must lead through properties declared with @Attribute or @Relationship; it reads "
                + (recorder.names.isEmpty ? "none of them." : "\(recorder.names.joined(separator: ", "))."))
        precondition(
            recorder.attributeType?.isType(of: Value.self) != false,
            "The key path \(keyPath) computes a \(Value.self) from \(recorder.names.joined(separator: ".")), which SQLite cannot. Use a KeyFunction, or keep the value in an attribute."
        )
        return recorder.names.count == 1 ? recorder.names[0] : recorder.names.joined(separator: ".")
    }
}
