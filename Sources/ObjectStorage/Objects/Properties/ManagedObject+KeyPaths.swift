import Foundation

extension ManagedObject {
    /// Creates an object without an entity or a context, whose property reads a recorder records.
    static func prototype(of type: ManagedObject.Type, recorder: KeyPathRecorder) -> ManagedObject {
        let collector = PropertyCollector()
        let prototype = collector.collect {
            type.init(
                Seed(
                    runtime: EntityRuntime(
                        EntityDescription(name: "", attributes: []), of: nil,
                        registry: ObjectRegistry(tableName: "", hasConcreteEntities: false),
                        recorder: recorder),
                    key: .temporary(0)))
        }
        prototype.runtime.layout = PropertyLayout(
            of: type, prototype: prototype, properties: collector.properties)
        return prototype
    }

    /// Returns the dotted names that `keyPath` reads: “artist.name” for `\Artwork.artist?.name`.
    ///
    /// A key path that reads no property declared with `@Attribute` or `@Relationship`, or more than one
    /// chain of them, is a programming error and traps. So does one that continues to a value of another
    /// type, as `\Artwork.title.count` does. A computed property of the same type cannot be distinguished
    /// from the one that it reads; use a ``KeyFunction`` for computed values.
    @usableFromInline
    static func propertyPath<Root: ManagedObject, Value>(of keyPath: KeyPath<Root, Value>) -> String {
        propertyPath(of: keyPath, from: Root.self) { unsafeDowncast($0, to: Root.self) }
    }

    /// Returns the dotted key path of a Swift key path from a class, or from a protocol to which it conforms.
    ///
    /// - Parameter root: Returns an object of the class as the root of the key path.
    static func propertyPath<Root, Value>(
        of keyPath: KeyPath<Root, Value>, from type: ManagedObject.Type, root: (ManagedObject) -> Root
    ) -> String {
        let recorder = KeyPathRecorder()
        let prototype = prototype(of: type, recorder: recorder)
        withExtendedLifetime(prototype) { _ = root(prototype)[keyPath: keyPath] }
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
