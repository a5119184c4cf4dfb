import Foundation
import LMDB
import Mutants
import Synchronization
import InternalUtilities

extension SectionCacheStore {
    /// The most names that one directory can have.
    static let maximumNames: UInt32 = 1_000

    /// Whether this is a forked child of a process that uses caches. It does without, and takes no lock:
    /// threads that it has not got may have held one when it was forked.
    var isForked: Bool { EnvironmentRegistry.isInForkedChild }

    /// The directory's environment, opened when first needed, or why there is none.
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
                    // What somebody may mend while this program runs is tried again at the next use.
                    state = failure.isLasting ? .off(failure.reason) : .unopened
                }
                return opened
            }
        }
    }

    /// Leaves an environment that turned out to be damaged. A new directory takes its place, and the next use
    /// opens that; the damaged one stays open as long as an index refers to it. Nothing is done if another
    /// was opened since, which has done nothing wrong.
    func leave(damaged environment: Environment, _ reason: MissReason) {
        leave(environment, reason, isDamaged: true)
    }

    /// Leaves one that takes no more names in the same way, however often that happens.
    func leave(full environment: Environment, _ reason: MissReason) {
        leave(environment, reason, isDamaged: false)
    }

    private func leave(_ environment: Environment, _ reason: MissReason, isDamaged: Bool) {
        state.withLock { state in
            guard case .open(let current) = state, current === environment else { return }
            guard isStillThere(environment) else {
                // Another store or process was quicker.
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

    /// Opens the environment anew, which takes a larger map, unless an index of this process is still using
    /// it.
    func leave(outgrown environment: Environment) {
        state.withLock { state in
            if case .open(let current) = state, current === environment { state = .unopened }
        }
    }

    /// Whether the path still leads to the directory that was opened; somebody may have deleted or replaced
    /// it.
    private func isStillThere(_ environment: Environment) -> Bool {
        CacheDirectory.identity(path: path) == environment.identity
            || Mutant.replacedDirectoryKept.isPlanted
    }

    /// The most descriptors that a cache has open at a time, and a store beside it: two connections with a log
    /// and its index, the files that SQLite sorts in, and the watch.
    private static let descriptorsBesideStore = cacheDescriptors + 12
    private static let cacheDescriptors = 8

    private func open() -> Result<Environment, CacheUnavailable> {
        let needed = options.isReadOnly ? Self.cacheDescriptors : Self.descriptorsBesideStore
        // What the caller needs more than a cache is not taken from it.
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

/// Why there is no environment to use.
struct CacheUnavailable: Error {
    let reason: MissReason

    init(reason: MissReason) { self.reason = reason }

    /// The data file is another program's.
    static let notOurs = CacheUnavailable(reason: .off(.notOurs("data.mdb, which is no cache")))

    /// Whether trying again in this process cannot help, or must not be done.
    var isLasting: Bool {
        switch reason {
        case .corrupt, .unsupportedFileSystem, .off(.forked): true
        default: false
        }
    }

    /// Translates what liblmdb reported.
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
