import CLMDB
import Foundation

/// An environment that is opened by liblmdb alone, as a program without this library would.
final class RawEnvironment {
    private let handle: OpaquePointer
    private var readers: [OpaquePointer] = []

    init(_ path: String) throws {
        var created: OpaquePointer?
        try Self.check(mdb_env_create(&created))
        guard let created else { throw FaultFinding("liblmdb creates no environment") }
        handle = created
        mdb_env_set_maxdbs(handle, 16)
        try Self.check(mdb_env_open(handle, path, UInt32(MDB_NOTLS), 0o600))
    }

    deinit {
        for reader in readers { mdb_txn_abort(reader) }
        mdb_env_close(handle)
    }

    /// Takes the free reader slots.
    ///
    /// - Parameter count: The greatest number of slots to hold.
    /// - Returns: The number of slots held.
    func takeSlots(atMost count: Int) throws -> Int {
        while readers.count < count {
            var reader: OpaquePointer?
            let status = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &reader)
            if status == MDB_READERS_FULL { break }
            try Self.check(status)
            if let reader { readers.append(reader) }
        }
        return readers.count
    }

    /// Begins a write transaction and does not end it.
    func beginWriting() throws {
        var transaction: OpaquePointer?
        try Self.check(mdb_txn_begin(handle, nil, 0, &transaction))
    }

    private static func check(_ status: Int32) throws {
        guard status == MDB_SUCCESS else {
            throw FaultFinding("liblmdb alone: \(String(cString: mdb_strerror(status)))")
        }
    }
}
