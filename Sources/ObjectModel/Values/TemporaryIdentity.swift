import InternalUtilities

/// The identity of an object that was not saved when its identity was requested.
///
/// All copies of the identity share this object, so each of them leads to the row after the save.
package final class TemporaryIdentity: Sendable {
    /// The number, which no other object of the container has.
    package let number: UInt64
    private let identities: TemporaryIdentities?
    private let savedKey = LockedValue<Int64?>(nil)

    /// Creates the identity with a number.
    ///
    /// - Parameter identities: The container's identities, which report the object's save; nil for a number
    ///   without a container, which never leads to a row.
    package init(number: UInt64, of identities: TemporaryIdentities?) {
        self.number = number
        self.identities = identities
    }

    deinit { identities?.forget(number, ObjectIdentifier(self)) }

    /// The key that a save gave the object; nil before the save.
    package var primaryKey: Int64? { savedKey.withLock { $0 } }

    func note(_ key: Int64) { savedKey.withLock { $0 = key } }
}
