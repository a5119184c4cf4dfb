#if canImport(Glibc)
import Glibc

/// A process that gets no more threads, as where a limit on them is reached.
///
/// The stacks of its threads become larger than memory can be addressed, so that `pthread_create(3)` fails as
/// it does then.
package enum ThreadShortage {
    private typealias Setting = @convention(c) (UnsafeMutablePointer<pthread_attr_t>) -> Int32

    /// Makes no thread start from now on.
    package static func begin() { setStackSize(1 << 47) }

    /// Lets threads start again.
    package static func end() { setStackSize(8 << 20) }

    private static func setStackSize(_ byteCount: Int) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, byteCount)
        // The headers show it to programs in C alone that ask for GNU's extensions.
        guard let symbol = dlsym(nil, "pthread_setattr_default_np") else { fatalError("no such function") }
        guard unsafeBitCast(symbol, to: Setting.self)(&attributes) == 0 else { fatalError("not set") }
        pthread_attr_destroy(&attributes)
    }
}
#endif
