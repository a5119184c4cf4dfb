import Foundation

/// A thread that runs one closure and ends.
///
/// If the system refuses a thread, for example at a limit, Foundation's `Thread` silently never runs, and
/// Dispatch blocks until a thread is available. This type returns a status instead.
package enum WorkThread {
    fileprivate final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            Thread.current.name = name
            #if canImport(Darwin)
            autoreleasepool { body() }
            #else
            body()
            #endif
        }
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: The name of the thread in the system: at most 15 bytes, the limit of Linux.
    ///   - body: The closure to run.
    /// - Returns: Whether the thread was started. If not, `body` is not run.
    ///
    /// The corresponding C function is `pthread_create`.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        precondition(name.utf8.count <= 15, "the thread name “\(name)” is longer than 15 bytes")
        let work = Unmanaged.passRetained(Work(name, body)).toOpaque()
        guard create(work) else {
            Unmanaged<Work>.fromOpaque(work).release()
            return false
        }
        return true
    }

    private static func create(_ work: UnsafeMutableRawPointer) -> Bool {
        #if canImport(Darwin)
        var created: pthread_t?
        guard pthread_create(&created, nil, run, work) == 0, let thread = created else { return false }
        #else
        var thread = pthread_t()
        guard pthread_create(&thread, nil, run, work) == 0 else { return false }
        #endif
        pthread_detach(thread)
        return true
    }
}

#if canImport(Darwin)
private func run(_ work: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<WorkThread.Work>.fromOpaque(work).takeRetainedValue().run()
    return nil
}
#else
private func run(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let work { Unmanaged<WorkThread.Work>.fromOpaque(work).takeRetainedValue().run() }
    return nil
}
#endif
