import CLMDB
import Foundation
import Mutants
import Synchronization

/// Sees to it that a process opens a directory's environment once.
///
/// Keyed by device and inode, not by path, because two paths can lead to one directory.
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
        /// An array, because a process has few environments open, and a dictionary would have its type made
        /// when it starts.
        var entries: [Entry] = []
        /// Directories that somebody was in the middle of opening for longer than can be waited for.
        var stuck: [DirectoryIdentity] = []
        /// What nothing refers to any more and could not be closed for want of room.
        var remains: [Remains] = []

        /// Closes what could not be closed before.
        mutating func closeRemains() {
            if !remains.isEmpty { remains.removeAll { $0.close() } }
        }
    }

    /// What is left of an environment that goes away.
    private struct Remains {
        /// Addresses, because pointers may not be put into a mutex by who might go on using them.
        let handle: UInt
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

        /// Closes it; false if there is no room for the marks that this makes in the lock file.
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

    /// The process that first asked for an environment; 0 if none has.
    private static let process = Atomic<pid_t>(0)

    /// Whether this is a forked child of a process that used environments.
    ///
    /// It must use none: those it inherited are its parent's, and the locks of this module may be held by
    /// threads that it has not got. Asked before any lock is taken, and takes none.
    package static var isInForkedChild: Bool {
        let process = process.load(ordering: .relaxed)
        return process != 0 && process != getpid() && !Mutant.noProcessCheck.isPlanted
    }

    /// The environment of a directory: the one that is open, whoever opened it, or a new one.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - key: What the directory is.
    /// - Throws: ``LMDBError`` of the opening: ``LMDBError/Code/forked`` in a forked child,
    ///   ``LMDBError/Code/guarded`` if somebody else has it open under this process's number,
    ///   ``LMDBError/Code/busy`` if somebody else is in the middle of opening it for longer than 20 ms. Of
    ///   many who ask then, one waits for so long. Also busy if this process has it open in a way in which
    ///   nothing can be written, and something is to be.
    package static func environment(
        path: String, key: DirectoryIdentity, options: Environment.Options
    ) throws(LMDBError) -> Environment {
        _ = process.compareExchange(expected: 0, desired: getpid(), ordering: .relaxed)
        if isInForkedChild { throw LMDBError(.forked, .open) }
        while true {
            // No reference may end within the lock: if it were the last one, the environment would be closed
            // there, by this lock.
            let found: Result<Environment?, LMDBError> = state.withLock { state in
                state.closeRemains()
                if let entry = state.entries.first(where: { $0.isOf(key, path: path) }) {
                    // An entry whose environment is going away is removed in a moment, after it was closed.
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
                throw LMDBError(.busy, .open, detail: "this process has it open for reading alone")
            }
            return environment
        }
    }

    /// Closes an environment that nothing refers to any more, and forgets it in the same breath.
    static func close(_ environment: Environment) {
        state.withLock { state in
            let remains = Remains(environment)
            if !remains.close() { state.remains.append(remains) }
            // Whether the others live is not asked: to ask makes a reference for a moment, which may be the
            // last.
            state.entries.removeAll { $0.isOf(environment.identity, path: environment.path) }
        }
    }
}
