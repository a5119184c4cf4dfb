import Foundation
import InternalUtilities
import Synchronization

/// The declaration of a property, recorded by its wrapper's initializer.
@usableFromInline
enum DeclaredProperty {
    /// An attribute without its name.
    case attribute(
        type: AttributeType, isOptional: Bool, options: AttributeOptions, defaultValue: StoredValue,
        transformerName: String?, details: AttributeDetails?)
    /// A relationship without its name.
    case relationship(
        destination: ManagedObject.Type, isToMany: Bool, isOrdered: Bool, inverse: DeclaredInverse?,
        deleteRule: RelationshipDescription.DeleteRule, details: RelationshipDetails?)
}

/// The declared inverse of a relationship.
@usableFromInline
struct DeclaredInverse {
    /// The class of the objects that the inverse leads to; nil if only its name is declared.
    let destination: ManagedObject.Type?
    /// Whether the inverse is to-many.
    let isToMany: Bool
    /// A closure that returns the name of the inverse.
    ///
    /// Creating a key path adds 200 µs to a launch, so the closure is called only if the types are ambiguous.
    let name: () -> String

    @usableFromInline
    init(destination: ManagedObject.Type?, isToMany: Bool, name: @escaping () -> String) {
        self.destination = destination
        self.isToMany = isToMany
        self.name = name
    }
}

/// Collects the declared properties of one object while it is initialized, in the order of declaration.
///
/// Reflection over the wrappers would make the runtime find each wrapper's type by name and look up its
/// conformances, which took more than half of a launch from the cache (decision 0003).
///
/// SAFETY: a collector is used only by the thread that creates the object, and only read afterwards.
@usableFromInline
final class PropertyCollector: @unchecked Sendable {
    /// The properties collected so far.
    private(set) var properties: [DeclaredProperty] = []

    /// The active collectors, each with its thread; the last one of a thread receives the properties.
    ///
    /// It is not a task-local value, because the first use of one adds 100 µs to a launch.
    private static let listening = LockedValue<[(thread: UInt, collector: PropertyCollector)]>([])
    /// The number of active collectors, so that the initialization of all other objects does not take the
    /// lock.
    private static let numberOfListeners = Atomic<Int>(0)

    /// Creates an object while this collector is active on the calling thread.
    func collect<Object>(_ make: () -> Object) -> Object {
        let thread = Self.currentThread
        Self.listening.withLock { $0.append((thread, self)) }
        Self.numberOfListeners.add(1, ordering: .relaxed)
        defer {
            Self.numberOfListeners.subtract(1, ordering: .relaxed)
            Self.listening.withLock { listening in
                if let index = listening.lastIndex(where: { $0.collector === self }) {
                    listening.remove(at: index)
                }
            }
        }
        return make()
    }

    /// Passes a property to the calling thread's active collector, and returns its position in the order of
    /// declaration; −1 if no collector is active.
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

    /// An identifier that no other running thread has. Not `Thread.current`, which creates a Foundation
    /// object.
    private static var currentThread: UInt {
        #if os(Windows)
        UInt(GetCurrentThreadId())
        #else
        // `pthread_t` is a number on some systems and a pointer on others.
        withUnsafeBytes(of: pthread_self()) { $0.load(as: UInt.self) }
        #endif
    }
}
