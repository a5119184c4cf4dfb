import GRDBSQLite
import Synchronization

/// A file system for SQLite that fails on demand. It forwards each call to SQLite's own file system.
///
/// SAFETY: a lock guards the fault, because the thread that commits the stamps of a start uses SQLite as
/// well. The function tables are made once and do not change.
enum FaultyFileSystem {
    /// The calls that can fail.
    enum Call: CaseIterable { case open, read, write, truncate, sync, size, lock, map, sharedLock }

    /// The call that fails, and how it fails.
    struct Fault {
        let call: Call
        /// The result code of SQLite.
        let code: Int32
        /// The number of such calls that succeed first.
        var remaining: Int
        /// Whether all later calls fail as well.
        let isSticky: Bool
    }

    private struct State {
        var fault: Fault?
        var numberOfFailures: [Call: Int] = [:]
    }

    private static let state = Mutex(State())
    nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)
    nonisolated(unsafe) private static let ours = makeFileSystem()
    nonisolated(unsafe) private static let methods = makeMethods()

    /// Makes this file system the default for new connections.
    static func register() {
        state.withLock { $0 = State() }
        sqlite3_vfs_register(ours, 1)
    }

    /// Makes SQLite's own file system the default for new connections again.
    static func unregister() { sqlite3_vfs_unregister(ours) }

    /// The number of failed calls of each kind since ``register()``.
    static var numberOfFailures: [Call: Int] { state.withLock { $0.numberOfFailures } }

    /// Runs a closure while a fault is active.
    static func failing<Result>(_ fault: Fault, _ body: () throws -> Result) rethrows -> Result {
        state.withLock { $0.fault = fault }
        defer { state.withLock { $0.fault = nil } }
        return try body()
    }

    /// Returns the code with which a call fails; nil if the call continues.
    private static func code(_ call: Call) -> Int32? {
        state.withLock { state in
            guard let current = state.fault, current.call == call else { return nil }
            guard current.remaining <= 0 else {
                state.fault?.remaining -= 1
                return nil
            }
            state.numberOfFailures[call, default: 0] += 1
            if !current.isSticky { state.fault = nil }
            return current.code
        }
    }

    /// Returns the file of SQLite's own file system, which follows the wrapper in memory.
    private static func file(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<
        sqlite3_file
    >? {
        file.map { UnsafeMutableRawPointer($0 + 1).assumingMemoryBound(to: sqlite3_file.self) }
    }

    private static func calls(_ file: UnsafeMutablePointer<sqlite3_file>?) -> sqlite3_io_methods? {
        self.file(file)?.pointee.pMethods?.pointee
    }

    private static func makeFileSystem() -> UnsafeMutablePointer<sqlite3_vfs> {
        let ours = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        guard let system else { preconditionFailure("SQLite has no file system.") }
        ours.initialize(to: system.pointee)
        ours.pointee.szOsFile += Int32(MemoryLayout<sqlite3_file>.size)
        ours.pointee.pNext = nil
        let name: StaticString = "faulty"
        ours.pointee.zName = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        ours.pointee.xOpen = { _, path, file, flags, outFlags in
            file?.pointee.pMethods = nil
            if let code = FaultyFileSystem.code(.open) { return code }
            let inner = FaultyFileSystem.file(file)
            let result = FaultyFileSystem.system?.pointee.xOpen(
                FaultyFileSystem.system, path, inner, flags, outFlags)
            if inner?.pointee.pMethods != nil {
                file?.pointee.pMethods = UnsafePointer(FaultyFileSystem.methods)
            }
            return result ?? SQLITE_ERROR
        }
        return ours
    }

    private static func makeMethods() -> UnsafeMutablePointer<sqlite3_io_methods> {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var calls = sqlite3_io_methods()
        // Version 2 of the methods has no memory-mapped reads.
        calls.iVersion = 2
        calls.xClose = { FaultyFileSystem.calls($0)?.xClose(FaultyFileSystem.file($0)) ?? SQLITE_ERROR }
        calls.xRead = { file, bytes, count, offset in
            FaultyFileSystem.code(.read)
                ?? FaultyFileSystem.calls(file)?.xRead(FaultyFileSystem.file(file), bytes, count, offset)
                ?? SQLITE_ERROR
        }
        calls.xWrite = { file, bytes, count, offset in
            FaultyFileSystem.code(.write)
                ?? FaultyFileSystem.calls(file)?.xWrite(FaultyFileSystem.file(file), bytes, count, offset)
                ?? SQLITE_ERROR
        }
        calls.xTruncate = { file, size in
            FaultyFileSystem.code(.truncate)
                ?? FaultyFileSystem.calls(file)?.xTruncate(FaultyFileSystem.file(file), size) ?? SQLITE_ERROR
        }
        calls.xSync = { file, flags in
            FaultyFileSystem.code(.sync)
                ?? FaultyFileSystem.calls(file)?.xSync(FaultyFileSystem.file(file), flags) ?? SQLITE_ERROR
        }
        calls.xFileSize = { file, size in
            FaultyFileSystem.code(.size)
                ?? FaultyFileSystem.calls(file)?.xFileSize(FaultyFileSystem.file(file), size) ?? SQLITE_ERROR
        }
        calls.xLock = { file, kind in
            FaultyFileSystem.code(.lock)
                ?? FaultyFileSystem.calls(file)?.xLock(FaultyFileSystem.file(file), kind) ?? SQLITE_ERROR
        }
        calls.xUnlock = { file, kind in
            FaultyFileSystem.calls(file)?.xUnlock(FaultyFileSystem.file(file), kind) ?? SQLITE_ERROR
        }
        calls.xCheckReservedLock = { file, result in
            FaultyFileSystem.calls(file)?.xCheckReservedLock(FaultyFileSystem.file(file), result)
                ?? SQLITE_ERROR
        }
        calls.xFileControl = { file, operation, argument in
            FaultyFileSystem.calls(file)?.xFileControl(FaultyFileSystem.file(file), operation, argument)
                ?? SQLITE_ERROR
        }
        calls.xSectorSize = { FaultyFileSystem.calls($0)?.xSectorSize(FaultyFileSystem.file($0)) ?? 0 }
        calls.xDeviceCharacteristics = {
            FaultyFileSystem.calls($0)?.xDeviceCharacteristics(FaultyFileSystem.file($0)) ?? 0
        }
        calls.xShmMap = { file, region, size, extends, memory in
            FaultyFileSystem.code(.map)
                ?? FaultyFileSystem.calls(file)?.xShmMap(
                    FaultyFileSystem.file(file), region, size, extends, memory) ?? SQLITE_ERROR
        }
        calls.xShmLock = { file, offset, count, flags in
            // Unlocking never fails.
            (flags & SQLITE_SHM_UNLOCK == 0 ? FaultyFileSystem.code(.sharedLock) : nil)
                ?? FaultyFileSystem.calls(file)?.xShmLock(FaultyFileSystem.file(file), offset, count, flags)
                ?? SQLITE_ERROR
        }
        calls.xShmBarrier = { FaultyFileSystem.calls($0)?.xShmBarrier(FaultyFileSystem.file($0)) }
        calls.xShmUnmap = { file, deletes in
            FaultyFileSystem.calls(file)?.xShmUnmap(FaultyFileSystem.file(file), deletes) ?? SQLITE_ERROR
        }
        methods.initialize(to: calls)
        return methods
    }
}
