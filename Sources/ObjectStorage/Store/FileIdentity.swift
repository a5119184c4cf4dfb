import Foundation

/// Which file a path leads to.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let node: UInt64

    /// Nil if there is none. Nothing is opened.
    init?(ofFileAt path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        node = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
