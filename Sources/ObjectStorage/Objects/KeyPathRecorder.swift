/// Finds out which properties a Swift key path reads, by reading it on a prototype.
///
/// A prototype is an object of the right class without entity or context. Its properties give placeholders, and its
/// to-one relationships give prototypes of their own; each read leaves the property's name here. This follows
/// `\Artwork.artist?.name` through the optional as well, and needs no list of key paths that somebody must keep.
final class KeyPathRecorder {
    /// The names of the properties in the order in which they were read.
    private(set) var names: [String] = []
    /// Whether each read followed from the one before. A computed property that reads two properties breaks the chain.
    private(set) var isChain = true
    private var expected: ObjectIdentifier?

    /// Notes that `object` was asked for the property kept in `storage`.
    func record(_ storage: AnyKeyPath, readOn object: ManagedObject, leadingTo next: ManagedObject? = nil) {
        if let expected, expected != ObjectIdentifier(object) { isChain = false }
        if expected == nil, !names.isEmpty { isChain = false }
        names.append(Self.propertyName(ofStorage: storage))
        expected = next.map(ObjectIdentifier.init)
        next.map { kept.append($0) }
    }

    /// Prototypes are kept until the end, because a freed one's address could come back as another's.
    private var kept: [ManagedObject] = []

    /// The name of the property whose wrapper is stored at `storage`: `\Artwork._title` is “title”.
    ///
    /// The compiler names a wrapper's storage by an underscore and the property's name (SE-0258), and a key path's
    /// description ends in the name of its last stored property.
    static func propertyName(ofStorage storage: AnyKeyPath) -> String {
        let description = String(describing: storage)
        guard let dot = description.lastIndex(of: "."), description[dot...].hasPrefix("._") else {
            preconditionFailure(
                "The key path \(description) does not name its property. Was the program built with -disable-reflection-metadata?")
        }
        return String(description[dot...].dropFirst(2))
    }
}

extension ManagedObject {
    /// The dotted names that `keyPath` reads: “artist.name” for `\Artwork.artist?.name`.
    ///
    /// A key path that reads no property declared with `@Attribute` or `@Relationship`, or more than one chain of them,
    /// is a programmer's error and traps.
    static func propertyPath<Root: ManagedObject>(of keyPath: PartialKeyPath<Root>) -> String {
        let recorder = KeyPathRecorder()
        let prototype = Root(Seed(prototypeOf: Root.self, recorder: recorder))
        withExtendedLifetime(prototype) { _ = prototype[keyPath: keyPath] }
        precondition(
            !recorder.names.isEmpty && recorder.isChain,
            "The key path \(keyPath) must lead through properties declared with @Attribute or @Relationship; it reads "
                + (recorder.names.isEmpty ? "none of them." : "\(recorder.names.joined(separator: ", "))."))
        return recorder.names.joined(separator: ".")
    }
}
