import Foundation
import InternalUtilities
import Synchronization

/// What a property wrapper says of itself when it is made.
@usableFromInline
enum DeclaredProperty {
    /// An attribute, all but its name.
    case attribute(
        type: AttributeType, isOptional: Bool, options: AttributeOptions, defaultValue: StoredValue,
        transformerName: String?, details: AttributeDetails?)
    /// A relationship, all but its name.
    case relationship(
        destination: ManagedObject.Type, isToMany: Bool, isOrdered: Bool, inverse: DeclaredInverse?,
        deleteRule: RelationshipDescription.DeleteRule, details: RelationshipDetails?)
}

/// What a relationship's wrapper says of the way back.
@usableFromInline
struct DeclaredInverse {
    /// Where the way back leads; nil if only its name was given.
    let destination: ManagedObject.Type?
    /// Whether it leads to many objects.
    let isToMany: Bool
    /// Its name, from the key path.
    ///
    /// Making a key path costs a start two hundred microseconds, so it is asked for only if the types leave a
    /// choice.
    let name: () -> String

    @usableFromInline
    init(destination: ManagedObject.Type?, isToMany: Bool, name: @escaping () -> String) {
        self.destination = destination
        self.isToMany = isToMany
        self.name = name
    }
}

/// Hears of each property of one object while that is made, in the order of declaration.
///
/// Looking at the wrappers by reflection instead would make the runtime find each wrapper's type by name and
/// look up its conformances, which took more than half of a start from the cache (decision 0003).
///
/// SAFETY: a collector is used by the one thread that makes the object, and read only afterwards.
@usableFromInline
final class PropertyCollector: @unchecked Sendable {
    /// The properties so far.
    private(set) var properties: [DeclaredProperty] = []

    /// The collectors that listen, each to its own thread; the last of a thread is the one that hears.
    ///
    /// Not a task-local value: the first use of one costs a start a hundred microseconds.
    private static let listening = LockedValue<[(thread: UInt, collector: PropertyCollector)]>([])
    /// How many there are, so that all other objects that are made need not ask.
    private static let numberOfListeners = Atomic<Int>(0)

    /// Makes an object with this collector listening.
    func collect<Object>(_ make: () -> Object) -> Object {
        let thread = Self.currentThread
        Self.listening.withLock { $0.append((thread, self)) }
        Self.numberOfListeners.add(1, ordering: .relaxed)
        defer {
            Self.numberOfListeners.subtract(1, ordering: .relaxed)
            Self.listening.withLock { listening in
                if let place = listening.lastIndex(where: { $0.collector === self }) {
                    listening.remove(at: place)
                }
            }
        }
        return make()
    }

    /// Tells whoever listens of a property, and gives its place in the order; −1 when nobody does.
    @usableFromInline
    static func note(_ property: () -> DeclaredProperty) -> Int16 {
        guard numberOfListeners.load(ordering: .relaxed) > 0 else { return -1 }
        let thread = currentThread
        guard let collector = listening.withLock({ $0.last { $0.thread == thread }?.collector }) else {
            return -1
        }
        collector.properties.append(property())
        return Int16(clamping: collector.properties.count - 1)
    }

    /// A number that no other thread has now. Not `Thread.current`, which makes an object of Foundation's.
    private static var currentThread: UInt {
        #if os(Windows)
        UInt(GetCurrentThreadId())
        #else
        // A number on some systems and a pointer on others.
        withUnsafeBytes(of: pthread_self()) { $0.load(as: UInt.self) }
        #endif
    }
}
