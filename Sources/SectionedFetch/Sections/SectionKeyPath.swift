public import ObjectStorage

/// A section key of the controller's class, so that its key paths need no root: `.path(\.owner?.name)`.
public struct SectionKeyPath<Object: ManagedObject>: Hashable, Sendable {
    /// The key without its class.
    let key: SectionKey

    /// Groups by the value at a Swift key path.
    ///
    /// - Parameter keyPath: The key path of an attribute or a to-one relationship, through declared
    ///   properties. One that computes a value traps.
    public static func path<Value>(_ keyPath: KeyPath<Object, Value>) -> Self { Self(key: .path(keyPath)) }
}
