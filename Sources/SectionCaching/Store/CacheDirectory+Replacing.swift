import Foundation
import InternalUtilities
import LMDB
import Mutants
import Synchronization

extension CacheDirectory {
    /// Moves a directory that is damaged or no longer usable out of the way, and creates an empty one.
    /// Readers that have the previous one open keep its files until they close them.
    ///
    /// The rename happens under a lock on a file beside the directory, so that two processes that find the
    /// same damage do not discard each other's new directory. Other users may be able to write to the parent
    /// directory, and to create links and directories in it at any time: all steps use descriptors, and an
    /// item that is removed is checked through the descriptor by which it is removed.
    ///
    /// Nothing is replaced if the directory contains files that are not a cache's: a directory that also has
    /// another use keeps its contents.
    ///
    /// - Parameters:
    ///   - path: The directory's path.
    ///   - previous: The directory that was found at the path. Nothing happens if the path leads to another
    ///     one.
    ///   - isDamaged: Whether the directory is damaged. A process replaces a damaged directory only once.
    static func replace(
        path: String, _ previous: DirectoryIdentity, isDamaged: Bool
    ) throws(CacheUnavailable) {
        let location = Location(path)
        // The parent may be reached through a link, as `~/.cache` on another disk is.
        guard let parent = OpenDirectory(name: location.parent, followsLink: true) else {
            throw failure(errno, opening: location.parent)
        }
        guard let lock = try lockForReplacing(location.name, in: parent.descriptor) else {
            throw CacheUnavailable(reason: .off(.busy))
        }
        defer { lock.unlock(replacingByte) }
        // Another process may have been faster.
        guard let directory = OpenDirectory(name: location.name, in: parent.descriptor),
            directory.status.identity == previous
        else { return }
        try check(directory.status)
        guard let names = directory.names() else { throw failure(errno, opening: path) }
        if let other = names.sorted().first(where: { !fileNames.contains($0) }) {
            throw CacheUnavailable(reason: .off(.notOurs("“\(other)”, beside a cache that must be replaced")))
        }
        try moveAway(location.name, previous, in: parent.descriptor)
        if isDamaged { _ = replaced.withLock { $0.insert(path) } }
        // Discarded directories are removed first, because the new one may need their disk space.
        removeDiscarded(location.name, in: parent)
        guard mkdirat(parent.descriptor, location.name, 0o700) == 0 || errno == EEXIST else {
            throw failure(errno, opening: path)
        }
    }

    /// Renames a directory within its parent.
    private static func moveAway(
        _ name: String, _ previous: DirectoryIdentity, in parent: Int32
    ) throws(CacheUnavailable) {
        let newName = name + discardedMark + UUID().uuidString
        guard renameat(parent, name, parent, newName) == 0 else { throw failure(errno, opening: name) }
        guard FileStatus(name: newName, in: parent)?.identity == previous else {
            // The directory was exchanged after it was checked. Renaming it back can replace only an empty
            // directory.
            _ = renameat(parent, newName, parent, name)
            throw CacheUnavailable(
                reason: .off(.unsafe("another program exchanged it while it was being replaced")))
        }
    }

    /// The text between the name of a discarded directory and a unique suffix.
    private static let discardedMark = ".discarded-"

    /// Removes the discarded directories of caches, including those left behind by processes that were killed
    /// during a replacement.
    ///
    /// - Complexity: O(*n*) in the number of names in the parent directory.
    private static func removeDiscarded(_ name: String, in parent: borrowing OpenDirectory) {
        let start = name + discardedMark
        for name in parent.names() ?? []
        where name.hasPrefix(start) && UUID(uuidString: String(name.dropFirst(start.count))) != nil {
            removeCache(name, in: parent.descriptor)
        }
    }

    /// Removes a directory that is a cache of this library and nothing else. All others stay as they are.
    private static func removeCache(_ name: String, in parent: Int32) {
        let followsLink = Mutant.discardedLinkFollowed.isPlanted
        guard let directory = OpenDirectory(name: name, in: parent, followsLink: followsLink),
            isCacheAlone(directory) || followsLink
        else { return }
        // The guard is removed last, because it identifies the other files as a cache's.
        for file in fileNames { unlinkat(directory.descriptor, file, 0) }
        guard FileStatus(name: name, in: parent)?.identity == directory.status.identity else { return }
        // Fails if a file was added since, which then stays.
        unlinkat(parent, name, AT_REMOVEDIR)
    }

    /// Returns whether a directory belongs to this user and contains the files of a cache, with its guard,
    /// and no others; or no files at all.
    ///
    /// The guard distinguishes a cache from the directory of another program that uses LMDB, whose other
    /// files have the same names.
    private static func isCacheAlone(_ directory: borrowing OpenDirectory) -> Bool {
        guard directory.status.owner == geteuid(), directory.status.mode & 0o022 == 0,
            let names = directory.names()
        else { return false }
        let isOurs = names.allSatisfy { name in
            guard fileNames.contains(name), let file = FileStatus(name: name, in: directory.descriptor) else {
                return false
            }
            return file.isRegular && file.owner == geteuid() && file.links == 1
        }
        return isOurs && (names.isEmpty || names.contains(guardName))
    }

    /// Returns whether this process replaced the directory because it was damaged. It does so at most once,
    /// so that a recurring cause of damage costs no more than one replacement.
    static func isReplaced(path: String) -> Bool { replaced.withLock { $0.contains(path) } }

    /// The paths of the damaged directories that this process replaced.
    private static let replaced = Mutex<Set<String>>([])

    /// The byte that is locked while a directory is replaced.
    private static let replacingByte: Int64 = 1 << 40

    /// Returns the locked file beside a directory; nil if another process is replacing the directory.
    private static func lockForReplacing(
        _ name: String, in parent: Int32
    ) throws(CacheUnavailable) -> LockableFile? {
        let name = name + ".guard"
        do throws(LMDBError) {
            let file = try LockableFile(name: name, in: parent)
            // Another user could keep a file of theirs locked forever.
            guard file.isPrivate else { throw LMDBError(LMDBError.Code(rawValue: EMLINK), .guarding) }
            guard try file.tryLock(replacingByte) else { return nil }
            return file
        } catch {
            let isShared = error.code.rawValue == EMLINK
            throw isShared
                ? CacheUnavailable(reason: .off(.unsafe("“\(name)” beside it is shared with others")))
                : failure(error.code.rawValue, opening: name)
        }
    }
}

/// The location of a directory: its name, and the path of its parent.
private struct Location {
    let parent: String
    let name: String

    init(_ path: String) {
        let url = URL(filePath: path)
        name = url.lastPathComponent
        parent = url.deletingLastPathComponent().path
    }
}
