import Foundation
import SectionedFetch
import ToolSupport

/// The files of a store that is shown: the store itself and its log. Another program may remove or replace
/// them, and nothing that is written afterwards appears in the list.
final class StoreFileWatch {
    /// The file of a path, or of another one after it was replaced.
    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    /// The time between two checks.
    static let pause = Duration.seconds(2)

    private let path: String?
    private let store: Identity?
    private var log: Identity?

    /// Takes note of the files of a store.
    init(_ container: PersistentContainer) {
        path = container.url?.resolvingSymlinksInPath().path
        store = path.flatMap(Identity.init)
        log = path.flatMap { Identity($0 + "-wal") }
    }

    /// The failure of the files, with the remedy; nil while they are there, also after they were moved back.
    ///
    /// The files are open, so that no new file has their identity.
    var failure: String? {
        guard let path, store != nil else { return nil }
        guard let present = Identity(path) else {
            return "“\(path)” was removed. Quit, and restore it from a copy."
        }
        guard present == store else {
            return "“\(path)” was replaced by another file. Quit, and start again to list the new file."
        }
        let presentLog = Identity(path + "-wal")
        // SQLite makes the log with the first write, and removes it only when no program uses the store.
        guard let log else {
            log = presentLog
            return nil
        }
        guard presentLog != log else { return nil }
        let verb = presentLog == nil ? "removed" : "replaced"
        return
            "The log “\(path)-wal” was \(verb) while it was in use; commits in it are lost, and the store may be damaged. Quit all programs that use the store, and check it with “PRAGMA integrity_check” in the sqlite3 shell."
    }
}
