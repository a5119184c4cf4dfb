import LMDB

/// The data of an entry that eviction needs.
struct StoredEntry {
    let prefix: [UInt8]
    let sequence: UInt64
    var keys: [[UInt8]]
    /// The approximate number of bytes that it takes in the file.
    var byteCount: Int
}
