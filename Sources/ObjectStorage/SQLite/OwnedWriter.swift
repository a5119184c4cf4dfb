import Foundation
import GRDB
import Mutants
import InternalUtilities

/// A GRDB connection that a container opened, and closes when it is deallocated.
///
/// The deallocation of GRDB's queue makes Dispatch run a block on another thread. If no thread can be
/// created, Dispatch waits for one forever, and if no file descriptor is left, it ends the process. So the
/// connection is closed first, which needs neither, and another thread releases the queue. Without such a
/// thread, or with few descriptors, the queue's memory, about two kilobytes, is leaked.
final class OwnedWriter: Sendable {
    let writer: any DatabaseWriter
    private let processIdentifier = getpid()

    init(_ writer: any DatabaseWriter) { self.writer = writer }

    deinit {
        if Mutant.queueEndAwaited.isPlanted { return }
        let queue = Queue(Unmanaged.passRetained(writer as AnyObject))
        // In a forked child, the connection and the queue are the parent's.
        guard getpid() == processIdentifier else { return }
        // If this fails, the deallocation of the queue closes the connection.
        try? writer.close()
        guard FileDescriptors.areFree(FileDescriptors.neededByDispatch) else { return }
        _ = WorkThread.start("store end") { queue.reference.release() }
    }

    /// SAFETY: the reference is released once, on one thread.
    private struct Queue: @unchecked Sendable {
        let reference: Unmanaged<AnyObject>

        init(_ reference: Unmanaged<AnyObject>) { self.reference = reference }
    }
}
