import Foundation
import LMDB
import Mutants
import Synchronization
import InternalUtilities

extension SectionCacheStore {
    /// The maximum number of names that one directory can have.
    static let maximumNames: UInt32 = 1_000

    /// Whether this process was forked from one that uses caches. Such a process does not use caches and
    /// takes no lock: a thread that does not exist in the child may have held the lock at the time of the
    /// fork.
    var isForked: Bool { EnvironmentRegistry.isInForkedChild }

    /// Returns the directory's environment, opened when first needed, or the reason why it is unavailable.
    func environment() -> Result<Environment, CacheUnavailable> {
        if isForked { return .failure(CacheUnavailable(reason: .off(.forked))) }
        return state.withLock { state in
            switch state {
            case .open(let environment) where isStillThere(environment):
                return .success(environment)
            case .off(let reason):
                return .failure(CacheUnavailable(reason: reason))
            case .unopened, .open:
                let opened = open()
                switch opened {
                case .success(let environment): state = .open(environment)
                case .failure(let failure):
                    note(failure.reason)
                    // A cause that can be removed while this program runs is tried again at the next use.
                    state = failure.isLasting ? .off(failure.reason) : .unopened
                }
                return opened
            }
        }
    }

    /// Leaves an environment that turned out to be damaged. A new directory replaces the damaged one and is
    /// opened at the next use; if that fails or is not allowed, the cache is off. The damaged environment
    /// stays open as long as an index refers to it. Does nothing if another environment was opened since,
    /// which is not known to be damaged.
    func leave(damaged environment: Environment, _ reason: MissReason) {
        leave(environment, reason, isDamaged: true)
    }

    /// Leaves an environment that takes no more names. Its directory is replaced as in ``leave(damaged:_:)``,
    /// but any number of times.
    func leave(full environment: Environment, _ reason: MissReason) {
        leave(environment, reason, isDamaged: false)
    }

    private func leave(_ environment: Environment, _ reason: MissReason, isDamaged: Bool) {
        state.withLock { state in
            guard case .open(let current) = state, current === environment else { return }
            guard isStillThere(environment) else {
                // Another store or process was faster.
                state = .unopened
                return
            }
            state = .off(reason)
            guard !options.isReadOnly, mayRecover || !isDamaged else { return }
            do throws(CacheUnavailable) {
                try CacheDirectory.replace(path: path, environment.identity, isDamaged: isDamaged)
                if case .corrupt = reason { replacement.withLock { $0 = reason } }
                state = .unopened
            } catch {
                state = .off(error.reason)
            }
        }
    }

    /// Leaves an environment whose file has outgrown its map. The next use opens the environment again with a
    /// larger map, unless an index of this process still uses it.
    func leave(outgrown environment: Environment) {
        state.withLock { state in
            if case .open(let current) = state, current === environment { state = .unopened }
        }
    }

    /// Returns whether the path still leads to the directory that was opened. It may have been deleted or
    /// replaced.
    private func isStillThere(_ environment: Environment) -> Bool {
        CacheDirectory.identity(path: path) == environment.identity
            || Mutant.replacedDirectoryKept.isPlanted
    }

    /// The maximum number of descriptors that a cache and a store have open at a time. The store has two
    /// connections with a log and its index, the files in which SQLite sorts, and the change monitor.
    private static let descriptorsBesideStore = cacheDescriptors + 12
    private static let cacheDescriptors = 8

    private func open() -> Result<Environment, CacheUnavailable> {
        let needed = options.isReadOnly ? Self.cacheDescriptors : Self.descriptorsBesideStore
        // A cache must not use descriptors that the caller needs more.
        guard FileDescriptors.areFree(needed) || Mutant.unreservedDescriptors.isPlanted
        else {
            return .failure(
                CacheUnavailable(
                    reason: .off(
                        .failure(
                            "Too few file descriptors are left for a cache and the store: raise the limit (ulimit -n)"
                        ))))
        }
        do throws(CacheUnavailable) {
            let directory = try CacheDirectory(path: path, isReadOnly: options.isReadOnly)
            do throws(LMDBError) {
                return .success(try directory.openEnvironment(options))
            } catch {
                guard error.isDamage, !options.isReadOnly, mayRecover else {
                    throw CacheUnavailable(error)
                }
                if directory.mayBeForeign { throw CacheUnavailable.notOurs }
                let reason = MissReason.corrupt(detail: error.description)
                note(reason)
                try CacheDirectory.replace(path: path, directory.identity, isDamaged: true)
                replacement.withLock { $0 = reason }
                let fresh = try CacheDirectory(path: path, isReadOnly: false)
                do throws(LMDBError) {
                    return .success(try fresh.openEnvironment(options))
                } catch {
                    throw CacheUnavailable(error)
                }
            }
        } catch {
            return .failure(error)
        }
    }

    /// Whether the directory may be replaced.
    private var mayRecover: Bool {
        !Mutant.noRecovery.isPlanted && !CacheDirectory.isReplaced(path: path)
    }
}

/// The reason why no environment can be used.
struct CacheUnavailable: Error {
    let reason: MissReason

    init(reason: MissReason) { self.reason = reason }

    /// The error of a data file that belongs to another program.
    static let notOurs = CacheUnavailable(reason: .off(.notOurs("data.mdb, which is no cache")))

    /// Whether further attempts in this process are useless or not allowed.
    var isLasting: Bool {
        switch reason {
        case .corrupt, .unsupportedFileSystem, .off(.forked): true
        default: false
        }
    }

    /// Translates an error of liblmdb.
    init(_ error: LMDBError) {
        switch error.code {
        case _ where error.isDamage: reason = .corrupt(detail: error.description)
        case LMDBError.Code(rawValue: ENOSPC), LMDBError.Code(rawValue: EDQUOT): reason = .off(.diskFull)
        case LMDBError.Code(rawValue: EROFS), LMDBError.Code(rawValue: EACCES): reason = .off(.readOnly)
        case LMDBError.Code(rawValue: ENOENT): reason = .absent
        case .busy, LMDBError.Code(rawValue: EAGAIN): reason = .off(.busy)
        case .guarded: reason = .off(.guarded)
        case .forked: reason = .off(.forked)
        case .foreign: self = .notOurs
        case LMDBError.Code(rawValue: ELOOP):
            reason = .off(.unsafe("“\(error.detail ?? "a file")” is a link"))
        default: reason = .off(.failure(error.description))
        }
    }
}
