import Foundation
import GRDBSQLite
import InternalUtilities

/// SQLite's file system without locks on databases.
///
/// SQLite has such a file system, `unix-none`, but it closes files at once, and closing a descriptor drops
/// all locks that the process has on the file, also those of other connections. Here files are opened and
/// closed as usual, and only the functions for locks do nothing.
///
/// Source: "The OS Interface (VFS)", sqlite.org/vfs.html; section 6.1 of "File Locking And Concurrency In
/// SQLite Version 3", sqlite.org/lockingv3.html.
enum LocklessFileSystem {
    /// The name for the parameter `vfs` of a file's URI. The file system is registered on first use.
    static var name: String {
        _ = status
        return registeredName
    }

    private static let registeredName = "unix-without-locks"

    private static let status: Int32 = {
        guard let usual = sqlite3_vfs_find("unix") else { return SQLITE_NOTFOUND }
        // SQLite keeps the pointers until the process ends.
        let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        system.initialize(to: usual.pointee)
        system.pointee.pNext = nil
        system.pointee.zName = UnsafePointer(strdup(registeredName))
        system.pointee.xOpen = { system, path, file, flags, result in
            guard let open = sqlite3_vfs_find("unix")?.pointee.xOpen else { return SQLITE_CANTOPEN }
            let status = open(system, path, file, flags, result)
            if status == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let methods = file?.pointee.pMethods {
                file?.pointee.pMethods = LocklessFileSystem.withoutLocks(methods)
            }
            return status
        }
        return sqlite3_vfs_register(system, 0)
    }()

    /// The methods without locks, by the addresses of the usual ones.
    private static let known = LockedValue<[UInt: UInt]>([:])

    private static func withoutLocks(
        _ methods: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods> {
        known.withLock { known in
            let key = UInt(bitPattern: methods)
            if let address = known[key], let copy = UnsafePointer<sqlite3_io_methods>(bitPattern: address) {
                return copy
            }
            let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            copy.initialize(to: methods.pointee)
            // The first version has no shared memory, in which the index of a log would be locked.
            copy.pointee.iVersion = 1
            copy.pointee.xLock = { _, _ in SQLITE_OK }
            copy.pointee.xUnlock = { _, _ in SQLITE_OK }
            copy.pointee.xCheckReservedLock = { _, isReserved in
                isReserved?.pointee = 0
                return SQLITE_OK
            }
            known[key] = UInt(bitPattern: copy)
            return UnsafePointer(copy)
        }
    }
}
