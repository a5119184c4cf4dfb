#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The compiler's sanitizer of a test run (see `Tools/sanitize`).
package enum Sanitizer {
    /// Whether the tests run under a sanitizer.
    package static var isUsed: Bool { getenv("SANITIZER") != nil }
}
