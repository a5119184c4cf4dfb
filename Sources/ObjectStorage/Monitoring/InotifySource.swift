#if os(Linux) || os(Android)
import Dispatch
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Says that it is time to look when the kernel reports that a store's files were written (inotify(7)).
///
/// What is watched is the directory, because the log comes and goes, and no file of the store is opened:
/// closing one would drop the locks that SQLite has on it in this process.
///
/// The report and the commit do not come together. SQLite writes the last page of a transaction, may then
/// wait for the disk, and only then tells other connections, in memory that is mapped, of which the kernel
/// reports nothing. So a report is followed by a look at once, one in a moment, and further ones, each after
/// twice the time of the one before, until a disk must have answered.
///
/// SAFETY: the variables are used by the one thread that waits; the descriptor is closed when nobody has the
/// signal any more.
final class InotifySource: WakeupSource, @unchecked Sendable {
    /// The time from a report to the second look, by which most commits are there.
    private static let settlingMilliseconds: Int32 = 4
    /// The least time from that to the next look.
    private static let restMilliseconds: Int32 = 50
    /// The longest time between two looks after a report. All of them together take about a minute.
    private static let longestMilliseconds: Int32 = 25_600

    /// What is done to a file whenever a transaction is committed, and when a file is put in the place of
    /// another.
    private static let events =
        UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_DELETE)
        | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM)

    private let descriptor: Int32
    private let monitor: Int32
    private let place: StoreLocation
    private let fileNames: [String]
    private let stopped = DispatchSemaphore(value: 0)
    /// Whether a report has just been followed by the first look, which is likely to be too early.
    private var isSettling = false
    /// When to look without a report, and how long that was after the last look; nil when no commit can be on
    /// its way.
    private var nextLook: (moment: ContinuousClock.Instant, milliseconds: Int32)?
    /// Whether the kernel reports all that happens: false when the directory is gone, and on a file system
    /// that other machines write to. Nil before the latter was asked, which the thread does.
    private var hearsAll: Bool?

    /// Watches the directory of a store; nil when the kernel has as many watches as it allows.
    init?(ofStoreAt path: String) {
        guard let place = StoreLocation(ofStoreAt: path) else { return nil }
        self.place = place
        fileNames = ["", "-wal", "-journal"].map { place.fileName + $0 }
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let monitor = inotify_add_watch(descriptor, place.directory, Self.events | UInt32(IN_ONLYDIR))
        guard monitor >= 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.monitor = monitor
    }

    deinit { close(descriptor) }

    func waitForNextLook() -> Bool {
        let hearsAll = hearsAll ?? !place.isShared()
        self.hearsAll = hearsAll
        guard hearsAll else { return sleep(Int32(PollingSource.intervalMilliseconds)) }
        if isSettling {
            isSettling = false
            planLook(after: Self.restMilliseconds)
            return sleep(Self.settlingMilliseconds)
        }
        // Reports that come thick and fast, also those on other files of the directory, wake the thread no
        // more often than this.
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
        // The kernel reports the end of the monitor, which wakes the thread.
        inotify_rm_watch(descriptor, monitor)
    }
}

extension InotifySource {
    private enum Report { case changed, nothing, other, stopped }

    /// - Returns: False when the signal was stopped meanwhile.
    private func sleep(_ milliseconds: Int32) -> Bool {
        stopped.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .timedOut
    }

    private func planLook(after milliseconds: Int32) {
        nextLook =
            milliseconds > Self.longestMilliseconds
            ? nil : (.now + .milliseconds(Int(milliseconds)), milliseconds)
    }

    /// Waits for a report, until the next look or for ever.
    private func wait() -> Report {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let rest = nextLook.map { max(.zero, $0.moment - .now) / .milliseconds(1) }
        guard poll(&request, 1, rest.map { Int32($0.rounded(.up)) } ?? -1) > 0 else { return .nothing }
        let report = readReports()
        if stopped.wait(timeout: .now()) == .success { return .stopped }
        return report
    }

    /// Reads all reports that are there.
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
