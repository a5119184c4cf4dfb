import CLMDB
import Foundation
import Synchronization

/// Lends bytes to liblmdb as a key or value.
func withMDBValue<Result>(_ bytes: [UInt8], _ body: (MDB_val) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
        // liblmdb does not write through the key and value arguments.
        body(MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress)))
    }
}
