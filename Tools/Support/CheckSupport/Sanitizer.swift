#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The compiler's sanitizer under which the tests run, if any: see `Tools/sanitize`.
package enum Sanitizer {
    /// Whether there is one.
    package static var isUsed: Bool { getenv("SANITIZER") != nil }
}
