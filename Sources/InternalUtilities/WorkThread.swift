import Foundation

/// A thread that does one thing and ends.
///
/// Where the system makes no more threads, as at a limit on them, Foundation's `Thread` does not say so and
/// never runs, and Dispatch has whoever hands work over wait until there is one. Here it is a status.
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
    ///   - name: What the system calls it: at most 15 bytes, for Linux to take it.
    ///   - body: What it does.
    /// - Returns: False if there is no thread to be had now. Nothing is done then.
    ///
    /// The corresponding C function is `pthread_create`.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        precondition(name.utf8.count <= 15, "“\(name)” is longer than the name of a thread can be")
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
