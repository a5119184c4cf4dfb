public import Foundation
import InternalUtilities
import LMDB
import Synchronization

/// One directory of caches.
///
/// It never throws to its caller, traps in it, or makes it wait for another process. Whatever is wrong is a
/// miss with a reason. It may be used from any thread.
public final class SectionCacheStore: Sendable {
    /// How a directory of caches is used.
    public struct Options: Hashable, Sendable {
        /// The greatest size of the directory's data file, in bytes. All programs that share a directory
        /// should say the same.
        public var maximumByteCount: Int
        /// The greatest number of entries under one name; the oldest give way.
        public var maximumEntriesPerName: Int
        /// Whether to read alone, making and changing nothing but LMDB's lock file: for looking into other
        /// programs' caches.
        public var isReadOnly: Bool

        /// Makes options.
        ///
        /// - Parameters:
        ///   - maximumByteCount: The greatest size of the directory's data file, in bytes; 256 MiB unless
        ///     something else is said.
        ///   - maximumEntriesPerName: The greatest number of entries under one name; the oldest give way.
        ///   - isReadOnly: Whether to read alone, making and changing nothing but LMDB's lock file.
        public init(
            maximumByteCount: Int = 256 << 20, maximumEntriesPerName: Int = 8, isReadOnly: Bool = false
        ) {
            self.maximumByteCount = maximumByteCount
            self.maximumEntriesPerName = maximumEntriesPerName
            self.isReadOnly = isReadOnly
        }
    }

    enum State {
        case unopened
        case open(Environment)
        case off(MissReason)
    }

    /// The directory.
    public let directory: URL
    /// The directory's path.
    let path: String
    /// How it is used.
    public let options: Options
    let state = Mutex<State>(.unopened)
    let writer = CacheWriter()
    /// The deletions that were asked for and are not done.
    let deleting = Mutex(PendingDeletions())
    /// The bytes that were handed to LMDB.
    let written = Mutex(0)
    /// What was wrong with the directory that this store replaced by an empty one, until something is saved
    /// there: what there is nothing for was in the other, for all that is known.
    let replacement = Mutex<MissReason?>(nil)
    /// What was last noted, for the inspector.
    private let problem = Mutex<MissReason?>(nil)

    /// Uses a directory, which is made with mode 0700 when something is first saved or looked up.
    ///
    /// Give it a directory of its own. A damaged one is replaced; where there are other files in it, or the
    /// data file is another program's, nothing is, and the cache is off and says why.
    public init(directory: URL, options: Options = Options()) {
        self.directory = directory
        self.options = options
        // Decoding is spared where there is nothing to decode: a new process takes a tenth of a millisecond
        // for it.
        let encoded = directory.path(percentEncoded: true)
        path = encoded.utf8.contains(UInt8(ascii: "%")) || encoded.hasSuffix("/") ? directory.path : encoded
    }

    deinit { writer.endWhenIdle() }

    /// The directory of this program: `$XDG_CACHE_HOME/<program>/section-caches`, else below `~/.cache`.
    public static var `default`: SectionCacheStore { defaultStore }

    private static let defaultStore: SectionCacheStore = {
        let program = (CommandLine.arguments.first as NSString?)?.lastPathComponent ?? "program"
        return SectionCacheStore(directory: defaultDirectory(program: program))
    }()

    /// The directory in which a program called `program` has its caches by default.
    public static func defaultDirectory(program: String) -> URL {
        let environment = ProcessInfo.processInfo.environment
        // The XDG specification: below $HOME, and a relative path is to be ignored.
        func directory(_ variable: String) -> URL? {
            environment[variable].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        }
        let base =
            directory("XDG_CACHE_HOME")
            ?? (directory("HOME") ?? URL(filePath: NSHomeDirectory())).appending(path: ".cache")
        return base.appending(path: program).appending(path: "section-caches")
    }

    /// The last problem that was recorded, if any: why a save did not happen, or why the cache is off.
    public var lastProblem: MissReason? { isForked ? .off(.forked) : problem.withLock { $0 } }

    /// The bytes of all directories and chunks that this store has written.
    package var writtenByteCount: Int { written.withLock { $0 } }

    func note(_ reason: MissReason) { problem.withLock { $0 = reason } }

    /// Whether all saves and deletions that were asked for are done, after waiting for at most so many
    /// seconds, and for one second where no thread can be had.
    ///
    /// A command-line program calls it before it ends; a save that is not done by then never is.
    @discardableResult
    public func waitForSaves(upTo seconds: Double = 10) -> Bool {
        // A forked child has not got the thread that saves.
        !isForked && writer.waitUntilIdle(upTo: seconds)
    }
}
