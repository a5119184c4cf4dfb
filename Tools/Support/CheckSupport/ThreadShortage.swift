#if canImport(Glibc)
import Glibc

/// A simulation of a process that cannot start more threads because it reached a limit.
///
/// The default stack size is set to more than the address space, so that `pthread_create(3)` fails as it does
/// at the limit.
package enum ThreadShortage {
    private typealias Setting = @convention(c) (UnsafeMutablePointer<pthread_attr_t>) -> Int32

    /// Prevents threads from starting.
    package static func begin() { setStackSize(1 << 47) }

    /// Allows threads to start again.
    package static func end() { setStackSize(8 << 20) }

    private static func setStackSize(_ byteCount: Int) {
        // Not `pthread_attr_t()`: the module that this initializer belongs to depends on the order in which
        // the compiler loads the C modules.
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        pthread_attr_setstacksize(attributes, byteCount)
        // The headers declare the function only for C programs that request GNU extensions.
        guard let symbol = dlsym(nil, "pthread_setattr_default_np") else { fatalError("no such function") }
        guard unsafeBitCast(symbol, to: Setting.self)(attributes) == 0 else { fatalError("not set") }
        pthread_attr_destroy(attributes)
    }
}
#endif
