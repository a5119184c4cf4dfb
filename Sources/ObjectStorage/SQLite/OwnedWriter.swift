import Foundation
import GRDB
import Mutants
import InternalUtilities

/// A connection of GRDB's that a container opened, and closes at its end.
///
/// The end of GRDB's queue has Dispatch run something on another thread. Where no thread can be had, Dispatch
/// waits for one without end, and where no file descriptor is left, it ends the process. So the connection is
/// closed first, which needs neither, and another thread gives the queue up. Without such a thread, or with few
/// descriptors, the memory of the queue stays, about two kilobytes.
final class OwnedWriter: Sendable {
    let writer: any DatabaseWriter
    private let processIdentifier = getpid()

    init(_ writer: any DatabaseWriter) { self.writer = writer }

    deinit {
        if Mutant.queueEndAwaited.isPlanted { return }
        let queue = Queue(Unmanaged.passRetained(writer as AnyObject))
        // In a forked child, the connection and the queue are the parent's.
        guard getpid() == processIdentifier else { return }
        // Where this fails, the end of the queue closes it.
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
