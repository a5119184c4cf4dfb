import CLMDB

/// The version of the liblmdb that this process runs with.
package enum LMDBVersion {
    /// The three numbers of the version.
    package static var current: [Int] {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        mdb_version(&major, &minor, &patch)
        return [Int(major), Int(minor), Int(patch)]
    }
}
