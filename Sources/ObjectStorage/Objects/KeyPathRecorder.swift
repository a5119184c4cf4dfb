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
    /// The type of the last one, if it is an attribute whose values SQLite has as they are. Noted in debug
    /// builds alone.
    private(set) var attributeType: AttributeType?
    private var expected: ObjectIdentifier?
    /// Prototypes are kept until the end, because a freed one's address could come back as another's.
    private var kept: [ManagedObject] = []

    /// Notes that `object` was asked for the property called `name`.
    func record(_ name: String, readOn object: ManagedObject, leadingTo next: ManagedObject? = nil) {
        if let expected, expected != ObjectIdentifier(object) { isChain = false }
        if expected == nil, !names.isEmpty { isChain = false }
        names.append(name)
        assert(noteType(of: name, of: object))
        expected = next.map(ObjectIdentifier.init)
        if let next { kept.append(next) }
    }

    /// - Returns: True.
    private func noteType(of name: String, of object: ManagedObject) -> Bool {
        attributeType = nil
        if let shape = object.runtime.shape, let place = shape.names.firstIndex(of: name),
            case .attribute(let type, _, _, _, transformerName: nil, _) = shape.properties[place]
        {
            attributeType = type
        }
        return true
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
        prototype.runtime.shape = ClassShape(of: type, prototype: prototype, properties: collector.properties)
        return prototype
    }

    /// The dotted names that `keyPath` reads: “artist.name” for `\Artwork.artist?.name`.
    ///
    /// A key path that reads no property declared with `@Attribute` or `@Relationship`, or more than one
    /// chain of them, is a programmer's error and traps. So does in debug builds one that goes on to a value
    /// of another type, as `\Artwork.title.count`. A computed property of the same type cannot be told from
    /// the one that it reads: a ``KeyFunction`` is what computes.
    @usableFromInline
    static func propertyPath<Root: ManagedObject, Value>(of keyPath: KeyPath<Root, Value>) -> String {
        let recorder = KeyPathRecorder()
        let prototype = unsafeDowncast(prototype(of: Root.self, recorder: recorder), to: Root.self)
        withExtendedLifetime(prototype) { _ = prototype[keyPath: keyPath] }
        precondition(
            !recorder.names.isEmpty && recorder.isChain,
            "The key path \(keyPath) must lead through properties declared with @Attribute or @Relationship; it reads "
                + (recorder.names.isEmpty ? "none of them." : "\(recorder.names.joined(separator: ", "))."))
        assert(
            recorder.attributeType.map { type in
                (Value.self as? any AttributeValue.Type).map { $0.attributeType == type } ?? true
            } ?? true,
            "The key path \(keyPath) computes a \(Value.self) from \(recorder.names.joined(separator: ".")), which SQLite cannot. Use a KeyFunction, or keep the value in an attribute."
        )
        return recorder.names.count == 1 ? recorder.names[0] : recorder.names.joined(separator: ".")
    }
}
