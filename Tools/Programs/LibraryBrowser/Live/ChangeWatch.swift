import Foundation
import SectionedFetch
import ToolSupport

/// Merges external changes into a context between key presses.
///
/// The context signals external changes on another thread. The signal becomes a byte in a pipe, which the
/// program polls together with the keyboard. The thread of the context merges the changes.
final class ChangeWatch {
    /// The time between a failed merge and the next attempt.
    private static let pauseAfterFailure = Duration.seconds(1)

    /// A file descriptor that is readable after an external change.
    let descriptor: Int32
    private let context: ManagedObjectContext
    private let arrivals: Task<Void, Never>
    private var hasFailed = false

    /// Starts watching. Create the watch before the fetch whose results it follows.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read; ``ToolFailure`` if the system refuses a
    ///   thread or a pipe.
    init(_ context: ManagedObjectContext) throws {
        // Swift's tasks run on threads of Dispatch, which waits forever for a thread that the system refuses,
        // and ends the process if it gets no file descriptor.
        guard TaskResources.areThere else {
            throw ToolFailure(
                "The system refuses this program a thread or a file descriptor, which --live needs to follow the store. Raise the limits (ulimit -u, -v, -n), or omit --live."
            )
        }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw ToolFailure("Creating a pipe failed: \(String(cString: strerror(errno))).")
        }
        // Neither end blocks: if the pipe is full, the unread bytes already signal a change.
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        descriptor = ends[0]
        self.context = context
        let notifications = context.remoteChangeNotifications
        let sink = ends[1]
        arrivals = Task.detached {
            for await _ in notifications {
                var byte: UInt8 = 1
                _ = write(sink, &byte, 1)
            }
            close(sink)
        }
        try context.mergePendingChanges()
    }

    deinit {
        arrivals.cancel()
        close(descriptor)
    }

    /// The time until a failed merge is retried, or nil if the last merge succeeded.
    var timeUntilNextTry: Duration? { hasFailed ? Self.pauseAfterFailure : nil }

    /// Merges the external changes that are pending.
    ///
    /// - Returns: The merged changes, or nil if no changes were pending.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read now. Call the function again later.
    func mergeNews() throws(ObjectStorageError) -> StoreChanges? {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
        hasFailed = true
        let changes = try context.mergePendingChanges()
        hasFailed = false
        return changes.isEmpty ? nil : changes
    }
}
