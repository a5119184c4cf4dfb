import Foundation

/// Records the properties that a Swift key path reads, by reading it on a prototype.
///
/// A prototype is an object of the class without an entity or a context. Its properties return placeholders,
/// its to-one relationships return further prototypes, and each read records the property's name. This
/// follows `\Artwork.artist?.name` through the optional as well, and needs no maintained list of key paths.
final class KeyPathRecorder {
    /// The names of the properties in the order in which they were read.
    private(set) var names: [String] = []
    /// Whether each property was read from the result of the previous one. A computed property that reads two
    /// properties breaks the chain.
    private(set) var isChain = true
    /// The type of the last property, if it is an attribute that SQLite stores without a transformer.
    private(set) var attributeType: AttributeType?
    private var expected: ObjectIdentifier?
    /// The prototypes so far, retained because the address of a freed one could be reused.
    private var kept: [ManagedObject] = []

    /// Records a read of the property called `name` of `object`.
    func record(_ name: String, readOn object: ManagedObject, leadingTo next: ManagedObject? = nil) {
        if let expected, expected != ObjectIdentifier(object) { isChain = false }
        if expected == nil, !names.isEmpty { isChain = false }
        names.append(name)
        attributeType = object.runtime.layout?.typeOfAttribute(called: name)
        expected = next.map(ObjectIdentifier.init)
        if let next { kept.append(next) }
    }
}
