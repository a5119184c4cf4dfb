import LMDB

/// The C library that caches use.
package enum CacheLibrary {
    /// The version of liblmdb in this process: three numbers.
    package static var version: [Int] { LMDBVersion.current }
    /// The oldest version with which the caches were tested.
    package static let oldestVersion = [0, 9, 24]
}
