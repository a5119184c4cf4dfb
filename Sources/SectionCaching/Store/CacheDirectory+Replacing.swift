import Foundation
import InternalUtilities
import LMDB
import Mutants
import Synchronization

extension CacheDirectory {
    /// Moves a directory that is damaged, or of no more use, out of the way and makes an empty one. Readers
    /// that have the former one open keep its files until they close them.
    ///
    /// The rename is made under a lock on a file beside the directory, so that two processes that find the
    /// same damage do not throw away each other's fresh directory. Others may be able to write the directory
    /// above, and put links and other directories there at any time: all steps go by descriptors, and what is
    /// removed is looked at through the descriptor that it is removed by.
    ///
    /// Nothing is replaced if there are files in it that are not a cache's: a directory that is used for
    /// something else as well keeps what is in it.
    ///
    /// - Parameters:
    ///   - path: The directory's path.
    ///   - former: The directory that was found there. Nothing happens if the path leads to something else by
    ///     now.
    ///   - isDamaged: Whether it is damaged, which is mended just once.
    static func replace(
        path: String, _ former: DirectoryIdentity, isDamaged: Bool
    ) throws(CacheUnavailable) {
        let place = Place(path)
        // The directory above may be reached through a link, as `~/.cache` on another disk is.
        guard let parent = OpenDirectory(name: place.parent, followsLink: true) else {
            throw failure(errno, opening: place.parent)
        }
        guard let lock = try lockForReplacing(place.name, in: parent.descriptor) else {
            throw CacheUnavailable(reason: .off(.busy))
        }
        defer { lock.unlock(replacingByte) }
        // Another process may have been quicker.
        guard let directory = OpenDirectory(name: place.name, in: parent.descriptor),
            directory.status.identity == former
        else { return }
        try check(directory.status)
        guard let names = directory.names() else { throw failure(errno, opening: path) }
        if let other = names.sorted().first(where: { !fileNames.contains($0) }) {
            throw CacheUnavailable(reason: .off(.notOurs("“\(other)”, beside a cache to be replaced")))
        }
        try moveAway(place.name, former, in: parent.descriptor)
        if isDamaged { _ = replaced.withLock { $0.insert(path) } }
        // Before a directory is made, for which there may be no room otherwise.
        removeDiscarded(place.name, in: parent)
        guard mkdirat(parent.descriptor, place.name, 0o700) == 0 || errno == EEXIST else {
            throw failure(errno, opening: path)
        }
    }

    /// Gives a directory another name, beside the present one.
    private static func moveAway(
        _ name: String, _ former: DirectoryIdentity, in parent: Int32
    ) throws(CacheUnavailable) {
        let newName = name + discardedMark + UUID().uuidString
        guard renameat(parent, name, parent, newName) == 0 else { throw failure(errno, opening: name) }
        guard FileStatus(name: newName, in: parent)?.identity == former else {
            // Exchanged since it was looked at. An empty directory at most would give way.
            _ = renameat(parent, newName, parent, name)
            throw CacheUnavailable(reason: .off(.unsafe("it was exchanged while it was being replaced")))
        }
    }

    /// Follows the name of a directory that is out of the way, before something unique.
    private static let discardedMark = ".discarded-"

    /// Removes the directories of caches that are out of the way, also those that processes left behind which
    /// were ended meanwhile.
    ///
    /// - Complexity: O(*n*) in the names of the directory above.
    private static func removeDiscarded(_ name: String, in parent: borrowing OpenDirectory) {
        let start = name + discardedMark
        for name in parent.names() ?? []
        where name.hasPrefix(start) && UUID(uuidString: String(name.dropFirst(start.count))) != nil {
            removeCache(name, in: parent.descriptor)
        }
    }

    /// Removes a directory that is a cache of ours and nothing else. All others stay as they are.
    private static func removeCache(_ name: String, in parent: Int32) {
        let followsLink = Mutant.discardedLinkFollowed.isPlanted
        guard let directory = OpenDirectory(name: name, in: parent, followsLink: followsLink),
            isCacheAlone(directory) || followsLink
        else { return }
        // The guard goes last: it is the sign by which the rest is known as a cache's.
        for file in fileNames { unlinkat(directory.descriptor, file, 0) }
        guard FileStatus(name: name, in: parent)?.identity == directory.status.identity else { return }
        // Fails if something was put there since, which stays.
        unlinkat(parent, name, AT_REMOVEDIR)
    }

    /// Whether a directory is this user's own and has the files of a cache, with its guard, and no others; or
    /// no files at all.
    ///
    /// The guard tells a cache from the directory of another program that uses LMDB, whose files have the
    /// same names otherwise.
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

    /// Whether this process replaced the directory because it was damaged. It does so at most once, so that
    /// whatever damages one over and over costs no more than that.
    static func isReplaced(path: String) -> Bool { replaced.withLock { $0.contains(path) } }

    /// The paths of the damaged directories that this process replaced.
    private static let replaced = Mutex<Set<String>>([])

    /// The byte that is locked while a directory is replaced.
    private static let replacingByte: Int64 = 1 << 40

    /// The locked file beside a directory; nil if another process is replacing it.
    private static func lockForReplacing(
        _ name: String, in parent: Int32
    ) throws(CacheUnavailable) -> LockableFile? {
        let name = name + ".guard"
        do throws(LMDBError) {
            let file = try LockableFile(name: name, in: parent)
            // Others could keep one that they made locked for ever.
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

/// Where a directory is: its name, and the path of the directory that has it.
private struct Place {
    let parent: String
    let name: String

    init(_ path: String) {
        let url = URL(filePath: path)
        name = url.lastPathComponent
        parent = url.deletingLastPathComponent().path
    }
}
