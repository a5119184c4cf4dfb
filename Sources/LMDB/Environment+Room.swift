import CLMDB
import Foundation
import Mutants

/// Room for what LMDB writes through its map of the lock file.
///
/// Each reader and each commit leaves a mark there. A file system that writes changed blocks to another place
/// has to find one for it, though the file's blocks were set aside, and where there is none, or a quota allows
/// none, the process is ended (`SIGBUS`). A write that is no map's is only refused. So where that may be, a
/// file beside the lock file is written before the lock file is touched.
extension Environment {
    /// So much must be left on the disk, because others write meanwhile.
    private static let minimumRoom: UInt64 = 16 << 20
    /// So much is written: a few times what the lock file has.
    private static let trialSize = 64 << 10

    /// Whether the lock file can be touched.
    ///
    /// - Parameter byteCount: What is to be written besides.
    static func hasRoom(
        for byteCount: Int = 0, in directoryDescriptor: Int32, _ environmentGuard: ProcessLock
    ) -> Bool {
        guard !Mutant.touchedWithoutRoom.isPlanted else { return true }
        let free = FileStatus.freeByteCount(directoryDescriptor) ?? .max
        return free >= minimumRoom + UInt64(byteCount) && environmentGuard.takesBytes(trialSize)
    }

    /// - Throws: ``LMDBError`` with `ENOSPC` if the lock file must not be touched.
    func requireRoom(for byteCount: Int = 0) throws(LMDBError) {
        guard needsRoom, !Self.hasRoom(for: byteCount, in: directoryDescriptor, environmentGuard) else {
            return
        }
        throw LMDBError(LMDBError.Code(rawValue: ENOSPC), .begin)
    }
}
