import Synchronization

/// Whether something took too long, set by whoever watches the time.
final class LateFlag: Sendable {
    private let flag = Atomic(false)

    func set() { flag.store(true, ordering: .releasing) }

    var isSet: Bool { flag.load(ordering: .acquiring) }
}
