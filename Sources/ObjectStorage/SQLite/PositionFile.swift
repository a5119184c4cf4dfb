import Foundation
import InternalUtilities

/// A file in which a replicator keeps the position of a database in its history: the contents of the file
/// identify those of the database.
///
/// Source: "Tracking LiteFS replication position", fly.io/docs/litefs/position.
struct PositionFile: Sendable {
    private let path: String
    private static let maximumByteCount = 4_096

    init(_ url: URL) { path = url.standardizedFileURL.path }

    /// Reads the position.
    ///
    /// - Returns: The bytes of the file; none if there is no file, or it has more than 4,096 bytes.
    func read() -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.maximumByteCount + 1)
        var count = 0
        while count < bytes.count {
            let found = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count, off_t(count))
            }
            if found < 0, errno == EINTR { continue }
            guard found >= 0 else { return [] }
            if found == 0 { break }
            count += found
        }
        return count > Self.maximumByteCount ? [] : Array(bytes.prefix(count))
    }

    /// Returns the reason why a position does not identify the contents of a database; nil if it does.
    ///
    /// - Parameter isReadOnly: Whether the store is opened read-only.
    func doubt(about position: [UInt8], isReadOnly: Bool) -> String? {
        let text = position.filter { $0 > 0x20 }
        if !isReadOnly {
            return "a store with a position file must be opened read-only"
        } else if text.isEmpty {
            return "the position file “\(path)” is missing, empty or too long"
        } else if text.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) {
            return "the position is a number without a checksum, which another history can repeat"
        } else {
            return nil
        }
    }
}
