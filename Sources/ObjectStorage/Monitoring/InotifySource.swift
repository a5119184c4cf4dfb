#if os(Linux) || os(Android)
import Dispatch
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A wakeup source that uses the kernel's notifications of writes to a store's files (inotify(7)).
///
/// It watches the directory, because the write-ahead log is created and deleted, and opens no file of the
/// store: closing one would drop the locks that SQLite holds on it in this process.
///
/// A notification and its commit are not simultaneous. SQLite writes the last page of a transaction, may then
/// wait for the disk, and only then publishes the commit in shared memory, for which the kernel sends no
/// notification. So a notification is followed by an immediate look, a second one a moment later, and further
/// ones, each after twice the previous interval, until any disk must have completed the write.
///
/// SAFETY: only the waiting thread uses the variables; the descriptor is closed when the last reference to
/// the source is released.
final class InotifySource: WakeupSource, @unchecked Sendable {
    /// The time from a notification to the second look, by which most commits are complete.
    private static let settlingMilliseconds: Int32 = 4
    /// The minimum time from the second look to the next one.
    private static let restMilliseconds: Int32 = 50
    /// The maximum time between two looks after a notification. All of them together take about a minute.
    private static let longestMilliseconds: Int32 = 25_600

    /// The events of a commit, and of a file that replaces another.
    private static let events =
        UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_DELETE)
        | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM)

    private let descriptor: Int32
    private let monitor: Int32
    private let location: StoreLocation
    private let fileNames: [String]
    private let stopped = DispatchSemaphore(value: 0)
    /// Whether a notification has just caused the first look, which is probably too early.
    private var isSettling = false
    /// The time of the next look without a notification, and its interval from the last look; nil if no
    /// commit can be in progress.
    private var nextLook: (moment: ContinuousClock.Instant, milliseconds: Int32)?
    /// Whether the kernel reports all changes: false if the directory was removed, and on a file system to
    /// which other machines write. Nil until the thread has determined the latter.
    private var hearsAll: Bool?

    /// Watches the directory of a store; nil if the kernel's limit of watches is reached.
    init?(ofStoreAt path: String) {
        guard let location = StoreLocation(ofStoreAt: path) else { return nil }
        self.location = location
        fileNames = ["", "-wal", "-journal"].map { location.fileName + $0 }
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let monitor = inotify_add_watch(descriptor, location.directory, Self.events | UInt32(IN_ONLYDIR))
        guard monitor >= 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.monitor = monitor
    }

    deinit { close(descriptor) }

    func waitForNextLook() -> Bool {
        let hearsAll = hearsAll ?? !location.isShared()
        self.hearsAll = hearsAll
        guard hearsAll else { return sleep(Int32(PollingSource.intervalMilliseconds)) }
        if isSettling {
            isSettling = false
            planLook(after: Self.restMilliseconds)
            return sleep(Self.settlingMilliseconds)
        }
        // Frequent notifications, including those for other files of the directory, wake the thread at most
        // at this rate.
        guard sleep(Self.restMilliseconds) else { return false }
        while true {
            let report = wait()
            if report == .stopped { return false }
            if report == .changed {
                isSettling = true
                return true
            }
            if let nextLook, nextLook.moment <= .now {
                planLook(after: nextLook.milliseconds * 2)
                return true
            }
            if report == .other, !sleep(Self.restMilliseconds) { return false }
        }
    }

    func stop() {
        stopped.signal()
        // The kernel reports the removal of the watch, which wakes the thread.
        inotify_rm_watch(descriptor, monitor)
    }
}

extension InotifySource {
    private enum Report { case changed, nothing, other, stopped }

    /// Sleeps for a time.
    ///
    /// - Returns: False if the source was stopped in the meantime.
    private func sleep(_ milliseconds: Int32) -> Bool {
        stopped.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .timedOut
    }

    private func planLook(after milliseconds: Int32) {
        nextLook =
            milliseconds > Self.longestMilliseconds
            ? nil : (.now + .milliseconds(Int(milliseconds)), milliseconds)
    }

    /// Waits for a notification until the next look is due, or without limit if none is planned.
    private func wait() -> Report {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let rest = nextLook.map { max(.zero, $0.moment - .now) / .milliseconds(1) }
        guard poll(&request, 1, rest.map { Int32($0.rounded(.up)) } ?? -1) > 0 else { return .nothing }
        let report = readReports()
        if stopped.wait(timeout: .now()) == .success { return .stopped }
        return report
    }

    /// Reads all available notifications.
    private func readReports() -> Report {
        var report = Report.other
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
                var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                while rest.count >= MemoryLayout<inotify_event>.size {
                    let event = rest.load(as: inotify_event.self)
                    let end = MemoryLayout<inotify_event>.size + Int(event.len)
                    let name = rest[MemoryLayout<inotify_event>.size..<end].prefix { $0 != 0 }
                    if event.mask & UInt32(IN_IGNORED) != 0 { hearsAll = false }
                    let isLost = event.mask & UInt32(IN_Q_OVERFLOW | IN_IGNORED) != 0
                    if isLost || fileNames.contains(where: { $0.utf8.elementsEqual(name) }) {
                        report = .changed
                    }
                    rest = UnsafeRawBufferPointer(rebasing: rest[end...])
                }
            }
        }
        return report
    }
}
#endif
