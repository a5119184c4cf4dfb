import CLMDB
import Foundation
import Mutants

/// The check for disk space before LMDB writes through its map of the lock file.
///
/// Each reader and each commit writes to the lock file. A copy-on-write file system needs a free block for
/// this even if the file's blocks were reserved. If no block is free, or a quota allows none, the process
/// is ended (`SIGBUS`), whereas an ordinary write would only fail. On such file systems, a file beside the
/// lock file is therefore written before the lock file.
extension Environment {
    /// The free disk space that is required, in bytes, because other processes write at the same time.
    private static let minimumRoom: UInt64 = 16 << 20
    /// The size of the trial write in bytes, a few times the size of the lock file.
    private static let trialSize = 64 << 10

    /// Returns whether the disk has room for writing to the lock file.
    ///
    /// - Parameter byteCount: The number of bytes that will be written to other files.
    static func hasRoom(
        for byteCount: Int = 0, in directoryDescriptor: Int32, _ environmentGuard: ProcessLock
    ) -> Bool {
        guard !Mutant.touchedWithoutRoom.isPlanted else { return true }
        let free = FileStatus.freeByteCount(directoryDescriptor) ?? .max
        return free >= minimumRoom + UInt64(byteCount) && environmentGuard.takesBytes(trialSize)
    }

    /// Checks that the lock file can be written.
    ///
    /// - Throws: ``LMDBError`` with `ENOSPC` if the disk may not have room.
    func requireRoom(for byteCount: Int = 0) throws(LMDBError) {
        guard needsRoom, !Self.hasRoom(for: byteCount, in: directoryDescriptor, environmentGuard) else {
            return
        }
        throw LMDBError(LMDBError.Code(rawValue: ENOSPC), .begin)
    }
}
