import CLMDB
import Foundation
import Synchronization

/// Sees to it that a process opens a directory's environment once.
///
/// Keyed by device and inode, not by path, because two paths can lead to one directory.
package enum EnvironmentRegistry {
    private struct Entry {
        let key: DirectoryIdentity
        weak var environment: Environment?
    }

    /// An array, because a process has few environments open, and a dictionary would have its type made when it starts.
    private static let entries = Mutex<[Entry]>([])

    /// The environment of a directory: the one that is open, or a new one.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - key: What the directory is.
    /// - Throws: ``LMDBError`` of the opening.
    package static func environment(
        path: String, key: DirectoryIdentity, options: Environment.Options
    ) throws(LMDBError) -> Environment {
        while true {
            let found: Result<Environment?, LMDBError> = entries.withLock { entries in
                if let entry = entries.first(where: { $0.key == key }) {
                    // An entry whose environment is going away is removed in a moment, after it was closed.
                    return .success(entry.environment)
                }
                do throws(LMDBError) {
                    let environment = try Environment(path: path, key: key, options: options)
                    entries.append(Entry(key: key, environment: environment))
                    return .success(environment)
                } catch {
                    return .failure(error)
                }
            }
            if let environment = try found.get() { return environment }
            sched_yield()
        }
    }

    /// Runs a closure while a directory's environment is not open in this process and cannot become so. Does nothing if it
    /// is open.
    ///
    /// For whoever opens and closes a lock file: closing it drops the locks that the process has on it (`fcntl(2)`).
    package static func whileClosed<Failure>(
        _ key: DirectoryIdentity, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        try entries.withLock { entries throws(Failure) in
            if !entries.contains(where: { $0.key == key }) { try body() }
        }
    }

    /// Closes an environment that nothing refers to any more, and forgets it in the same breath.
    static func close(_ environment: Environment) {
        entries.withLock { entries in
            environment.abortIdleReaders()
            mdb_env_close(environment.handle)
            Foundation.close(environment.directoryDescriptor)
            entries.removeAll { $0.key == environment.identity }
        }
    }
}
