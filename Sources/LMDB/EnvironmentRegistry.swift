import CLMDB
import Foundation
import Mutants
import Synchronization

/// The registry of a process's open environments, which opens each directory only once.
///
/// Directories are identified by device and inode, not by path, because two paths can lead to one directory.
package enum EnvironmentRegistry {
    private struct Entry {
        let key: DirectoryIdentity
        let path: String
        weak var environment: Environment?

        func isOf(_ key: DirectoryIdentity, path: String) -> Bool {
            Mutant.registryByPath.isPlanted ? self.path == path : self.key == key
        }
    }

    private struct State {
        /// The open environments. An array, because a process has few of them, and the type of a dictionary
        /// would be created at launch.
        var entries: [Entry] = []
        /// The directories that another process was opening for longer than the wait limit.
        var stuck: [DirectoryIdentity] = []
        /// The unreferenced environments that could not be closed because the disk was full.
        var remains: [Remains] = []

        /// Closes environments that could not be closed before.
        mutating func closeRemains() {
            if !remains.isEmpty { remains.removeAll { $0.close() } }
        }
    }

    /// The resources of an environment that is deinitialized.
    private struct Remains {
        /// The address of the handle. Stored as an integer, because the compiler does not allow storing
        /// pointers in a mutex that the caller might continue to use.
        let handle: UInt
        /// The addresses of the kept read transactions.
        let idleReaders: [UInt]
        let environmentGuard: ProcessLock
        let directoryDescriptor: Int32
        let needsRoom: Bool

        init(_ environment: Environment) {
            handle = UInt(bitPattern: environment.handle)
            idleReaders = environment.takeIdleReaders().map { UInt(bitPattern: $0) }
            environmentGuard = environment.environmentGuard
            directoryDescriptor = environment.directoryDescriptor
            needsRoom = environment.needsRoom
        }

        /// Closes the environment, and returns false if the disk has no room for the writes to the lock file.
        func close() -> Bool {
            guard !needsRoom || Environment.hasRoom(in: directoryDescriptor, environmentGuard) else {
                return false
            }
            for reader in idleReaders { mdb_txn_abort(OpaquePointer(bitPattern: reader)) }
            mdb_env_close(OpaquePointer(bitPattern: handle))
            environmentGuard.release()
            if !Mutant.leakedDescriptor.isPlanted { Foundation.close(directoryDescriptor) }
            return true
        }
    }

    private static let state = Mutex(State())

    /// The process that first used the registry, or 0 before the first use.
    private static let process = Atomic<pid_t>(0)

    /// Whether this is a forked child of a process that used environments.
    ///
    /// Such a child must not use any environment: the inherited ones belong to its parent, and the locks of
    /// this module may be held by threads that do not exist in the child. Check this before taking any
    /// lock; the check takes none.
    package static var isInForkedChild: Bool {
        let process = process.load(ordering: .relaxed)
        return process != 0 && process != getpid() && !Mutant.noProcessCheck.isPlanted
    }

    /// Returns the environment of a directory: the open one if this process has opened it, or a new one.
    ///
    /// - Parameters:
    ///   - path: The path of the directory.
    ///   - key: The identity of the directory.
    ///   - options: The options for opening a new environment.
    /// - Throws: ``LMDBError``, with ``LMDBError/Code/forked`` in a forked child; with
    ///   ``LMDBError/Code/guarded`` if the environment is open elsewhere under this process's identifier;
    ///   with ``LMDBError/Code/busy`` if another process is opening it for longer than 20 ms, which only
    ///   one of several callers waits for, or if this process has it open read-only and `options` require
    ///   writing.
    package static func environment(
        path: String, key: DirectoryIdentity, options: Environment.Options
    ) throws(LMDBError) -> Environment {
        _ = process.compareExchange(expected: 0, desired: getpid(), ordering: .relaxed)
        if isInForkedChild { throw LMDBError(.forked, .open) }
        while true {
            // No reference may be released while the lock is held: releasing the last one would close the
            // environment, which takes the same lock.
            let found: Result<Environment?, LMDBError> = state.withLock { state in
                state.closeRemains()
                if let entry = state.entries.first(where: { $0.isOf(key, path: path) }) {
                    // The entry of an environment that is being deinitialized is removed after its closing.
                    return .success(entry.environment)
                }
                let isStuck = state.stuck.contains(key)
                do throws(LMDBError) {
                    let environment = try Environment(
                        path: path, key: key, options: options, isStuck: isStuck)
                    state.stuck.removeAll { $0 == key }
                    state.entries.append(Entry(key: key, path: path, environment: environment))
                    return .success(environment)
                } catch {
                    if error.code == .busy, !isStuck { state.stuck.append(key) }
                    if error.code != .busy { state.stuck.removeAll { $0 == key } }
                    return .failure(error)
                }
            }
            guard let environment = try found.get() else {
                sched_yield()
                continue
            }
            guard options.isReadOnly || !environment.isReadOnly else {
                throw LMDBError(.busy, .open, detail: "this process has the environment open read-only")
            }
            return environment
        }
    }

    /// Closes an unreferenced environment, and removes its entry under the same lock.
    static func close(_ environment: Environment) {
        state.withLock { state in
            let remains = Remains(environment)
            if !remains.close() { state.remains.append(remains) }
            // The weak references of other entries are not loaded, because loading one would create a
            // temporary reference, which may be the last.
            state.entries.removeAll { $0.isOf(environment.identity, path: environment.path) }
        }
    }
}
