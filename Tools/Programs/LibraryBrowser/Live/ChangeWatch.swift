import Foundation
import SectionedFetch
import ToolSupport

/// Brings what others commit to a context, between keys.
///
/// The context says on another thread that something arrived. That becomes a byte in a pipe, which is waited
/// for together with the keyboard; merging is left to the thread that the context belongs to.
final class ChangeWatch {
    /// How long a merge that failed waits for the next try.
    private static let pauseAfterFailure = Duration.seconds(1)

    /// Readable when something arrived.
    let descriptor: Int32
    private let context: ManagedObjectContext
    private let arrivals: Task<Void, Never>
    private var hasFailed = false

    /// Watches from now on. Make it before the fetch whose results are to be followed.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read; ``ToolFailure`` if the system has no
    ///   pipe left.
    init(_ context: ManagedObjectContext) throws {
        // Swift's tasks run on threads of Dispatch, which waits without end for one that cannot be had, and ends
        // the process where there is no descriptor.
        guard TaskResources.areThere else {
            throw ToolFailure(
                "The system gives this program no thread or no file descriptor to follow the store with. Raise its limits (ulimit -u, -v, -n), or leave out --live."
            )
        }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw ToolFailure("A pipe cannot be made: \(String(cString: strerror(errno))).")
        }
        // What is not taken yet says enough.
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

    /// After how long to try again what failed; nil if there is nothing to do before something arrives.
    var timeUntilNextTry: Duration? { hasFailed ? Self.pauseAfterFailure : nil }

    /// Merges what arrived.
    ///
    /// - Returns: What was merged; nil if there was nothing.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read now. It is to be tried again.
    func mergeNews() throws(ObjectStorageError) -> StoreChanges? {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
        hasFailed = true
        let changes = try context.mergePendingChanges()
        hasFailed = false
        return changes.isEmpty ? nil : changes
    }
}
