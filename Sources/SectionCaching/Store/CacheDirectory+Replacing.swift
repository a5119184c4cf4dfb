import Foundation
import LMDB
import Synchronization

extension CacheDirectory {
    /// Puts a directory that is damaged, or of no more use, out of the way and makes an empty one. What was
    /// open keeps its files until it closes them.
    ///
    /// The rename is made under a lock on a file beside the directory, so that two processes that find the
    /// same damage do not throw away each other's fresh directory.
    ///
    /// Nothing is replaced if there are files in it that are not a cache's: who gives a directory that he
    /// uses for something else keeps what is in it.
    ///
    /// - Parameters:
    ///   - path: The directory's path.
    ///   - former: What was found there. Nothing happens if the path leads to something else by now.
    ///   - isDamaged: Whether it is damaged, which is mended just once.
    static func replace(
        path: String, _ former: DirectoryIdentity, isDamaged: Bool
    ) throws(CacheUnavailable) {
        guard let lock = try lockForReplacing(path) else { throw CacheUnavailable(reason: .off(.busy)) }
        defer { lock.unlock(replacingByte) }
        // Another process may have been quicker.
        guard identity(path: path) == former else { return }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw failure(EACCES, opening: path)
        }
        if let other = names.sorted().first(where: { !fileNames.contains($0) }) {
            throw CacheUnavailable(reason: .off(.notOurs("“\(other)”, beside a cache to be replaced")))
        }
        guard rename(path, path + discardedMark + UUID().uuidString) == 0 else {
            throw failure(errno, opening: path)
        }
        if isDamaged { _ = replaced.withLock { $0.insert(path) } }
        // Before a directory is made, for which there may be no room otherwise.
        removeDiscarded(path)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(errno, opening: path) }
    }

    /// Follows the name of a directory that is out of the way, before something unique.
    private static let discardedMark = ".discarded-"

    /// Removes what is out of the way: also what processes left that were ended meanwhile. Where there are
    /// files of others in it, it stays.
    private static func removeDiscarded(_ path: String) {
        let url = URL(filePath: path)
        let parent = url.deletingLastPathComponent().path
        let start = url.lastPathComponent + discardedMark
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        where name.hasPrefix(start) && UUID(uuidString: String(name.dropFirst(start.count))) != nil {
            let directory = parent + "/" + name
            let names = try? FileManager.default.contentsOfDirectory(atPath: directory)
            guard names?.allSatisfy(fileNames.contains) == true else { continue }
            for name in fileNames { unlink(directory + "/" + name) }
            // Fails if somebody has put something there since, which stays.
            rmdir(directory)
        }
    }

    /// Whether this process replaced the directory because it was damaged. It does so at most once, so that
    /// whatever damages one over and over costs no more than that.
    static func isReplaced(path: String) -> Bool { replaced.withLock { $0.contains(path) } }

    /// The paths of the damaged directories that this process replaced.
    private static let replaced = Mutex<Set<String>>([])

    /// The byte that is locked by who replaces a directory.
    private static let replacingByte: Int64 = 1 << 40

    /// The locked file beside a directory; nil if somebody else is replacing it.
    private static func lockForReplacing(_ path: String) throws(CacheUnavailable) -> LockableFile? {
        do throws(LMDBError) {
            let file = try LockableFile(name: path + ".guard")
            guard try file.tryLock(replacingByte) else { return nil }
            return file
        } catch {
            throw failure(error.code.rawValue, opening: path + ".guard")
        }
    }
}
