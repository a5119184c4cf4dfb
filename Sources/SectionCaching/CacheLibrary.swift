import LMDB

/// The C library that caches rely on.
package enum CacheLibrary {
    /// The version of liblmdb that this process runs with: three numbers.
    package static var version: [Int] { LMDBVersion.current }
    /// The oldest version that the caches were tried with.
    package static let oldestVersion = [0, 9, 24]
}
