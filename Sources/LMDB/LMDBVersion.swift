import CLMDB

/// Which liblmdb this process runs with.
package enum LMDBVersion {
    /// Its version: three numbers.
    package static var current: [Int] {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        mdb_version(&major, &minor, &patch)
        return [Int(major), Int(minor), Int(patch)]
    }
}
