public import Foundation
import InternalUtilities
import LMDB
import Synchronization

/// One directory of caches.
///
/// Look-ups, saves and deletions never throw an error, never trap, and do not make the caller wait for
/// another process for more than some milliseconds: any problem is a miss with a reason. A store may be used
/// from any thread.
public final class SectionCacheStore: Sendable {
    /// The options of a directory of caches.
    public struct Options: Hashable, Sendable {
        /// The maximum size of the directory's data file, in bytes. All programs that share a directory
        /// should use the same value.
        public var maximumByteCount: Int
        /// The maximum number of entries under one name. A further entry replaces the oldest.
        public var maximumEntriesPerName: Int
        /// Whether to only read, creating and changing nothing but LMDB's lock file, for inspecting other
        /// programs' caches.
        public var isReadOnly: Bool

        /// Creates options.
        ///
        /// - Parameters:
        ///   - maximumByteCount: The maximum size of the directory's data file, in bytes. The default is 256
        ///     MiB.
        ///   - maximumEntriesPerName: The maximum number of entries under one name. A further entry replaces
        ///     the oldest.
        ///   - isReadOnly: Whether to only read, creating and changing nothing but LMDB's lock file.
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
    /// The options of the directory.
    public let options: Options
    let state = Mutex<State>(.unopened)
    let writer = CacheWriter()
    /// The deletions that were requested and are not completed.
    let deleting = Mutex(PendingDeletions())
    /// The number of bytes that were handed to LMDB.
    let written = Mutex(0)
    /// The damage of the directory that this store replaced by an empty one, until an entry is saved: an
    /// entry that is missing may have been in the damaged directory.
    let replacement = Mutex<MissReason?>(nil)
    /// The problem that was recorded last, for the inspector.
    private let problem = Mutex<MissReason?>(nil)

    /// Creates a store for a directory, which is created with mode 0700 at the first save or look-up.
    ///
    /// Use a separate directory. A damaged one is replaced; but if it contains other files, or the data file
    /// belongs to another program, nothing is replaced, and the cache is off with the reason.
    ///
    /// - Parameters:
    ///   - directory: The location of the directory.
    ///   - options: The options. All programs that share the directory should use one maximum size.
    public init(directory: URL, options: Options = Options()) {
        self.directory = directory
        self.options = options
        // A path without escapes is not decoded, which takes a new process a tenth of a millisecond.
        let encoded = directory.path(percentEncoded: true)
        path = encoded.utf8.contains(UInt8(ascii: "%")) || encoded.hasSuffix("/") ? directory.path : encoded
    }

    deinit { writer.endWhenIdle() }

    /// The store of this program's default directory: `$XDG_CACHE_HOME/<program>/section-caches`, or below
    /// `$HOME/.cache`. Without either variable it is below a directory of the user's number in `$TMPDIR` or
    /// `/tmp`, because looking up a user's home directory would load the system's name service.
    public static var `default`: SectionCacheStore { defaultStore }

    private static let defaultStore: SectionCacheStore = {
        let program = (CommandLine.arguments.first as NSString?)?.lastPathComponent ?? "program"
        return SectionCacheStore(directory: defaultDirectory(program: program))
    }()

    /// Returns the default directory for the caches of a program.
    ///
    /// - Parameter program: The name of the program, which is also the name of a directory.
    /// - Returns: `<program>/section-caches` below `$XDG_CACHE_HOME`, or below `$HOME/.cache` if that is not
    ///   set. Without either variable it is below a directory of the user's number in `$TMPDIR` or `/tmp`.
    public static func defaultDirectory(program: String) -> URL {
        let environment = ProcessInfo.processInfo.environment
        // The XDG specification: the fallback is below $HOME, and relative paths are ignored.
        func directory(_ variable: String) -> URL? {
            environment[variable].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        }
        let base =
            directory("XDG_CACHE_HOME") ?? directory("HOME")?.appending(path: ".cache")
            ?? (directory("TMPDIR") ?? URL(filePath: "/tmp")).appending(path: "cache-\(geteuid())")
        return base.appending(path: program).appending(path: "section-caches")
    }

    /// The problem that was recorded last, if any: the reason why a save failed, or why the cache is off.
    public var lastProblem: MissReason? { isForked ? .off(.forked) : problem.withLock { $0 } }

    /// The number of bytes of all directories and chunks that this store has written.
    package var writtenByteCount: Int { written.withLock { $0 } }

    func note(_ reason: MissReason) { problem.withLock { $0 = reason } }

    /// Waits up to `seconds` for all requested saves and deletions to complete, or one second if no thread
    /// can be started; returns whether they did.
    ///
    /// A command-line program calls this method before it ends; a save that is not completed by then is lost.
    ///
    /// - Parameter seconds: The maximum time to wait, in seconds.
    @discardableResult
    public func waitForWrites(upTo seconds: Double = 10) -> Bool {
        // A forked child does not have the thread that saves.
        !isForked && writer.waitUntilIdle(upTo: seconds)
    }

    /// The previous name of ``waitForWrites(upTo:)``.
    ///
    /// - Parameter seconds: The maximum time to wait, in seconds.
    /// - Returns: Whether all requested saves and deletions are complete.
    @available(*, deprecated, renamed: "waitForWrites(upTo:)")
    @discardableResult
    public func waitForSaves(upTo seconds: Double = 10) -> Bool { waitForWrites(upTo: seconds) }
}
