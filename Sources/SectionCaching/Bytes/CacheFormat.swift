import LMDB

/// The constants of the stored format, which `CacheFormat.md` describes byte by byte.
enum CacheFormat {
    /// The version of directories and chunks. Entries of another version are misses, and are replaced.
    static let version: UInt32 = 2
    /// The first eight bytes of a directory.
    static let magic = Array("SCINDEX\n".utf8)
    /// Written as an integer, so that a machine of the other byte order reads another number.
    static let byteOrderMark: UInt32 = 0x0102_0304
    /// The bytes that are hashed before a request's bytes.
    static let fingerprintPrefix = Array("section cache request 1\n".utf8)

    /// The number of bytes of a directory before its variable parts.
    static let headerSize = 144
    /// The number of bytes of one section in a directory.
    static let sectionSize = 32
    /// The number of bytes of one chunk's record in a directory.
    static let chunkRecordSize = 72
    /// The number of bytes of the number of a retired chunk in a directory.
    static let retiredNumberSize = 4
    /// The number of bytes of a chunk before its rows.
    static let chunkHeaderSize = 32

    /// The number of bytes of a full chunk: four pages of 4,096 bytes less the 16 that LMDB puts at the head
    /// of an overflow value.
    static let chunkSize = 4 * 4096 - 16

    /// The kind of value that a key leads to.
    enum Kind: UInt8 {
        case directory = 0
        case chunk = 1
    }

    /// The number of bytes of a directory's key.
    static let directoryKeySize = 49
    /// The number of bytes of a chunk's key.
    static let chunkKeySize = 53

    /// The patterns of all keys.
    static let keyPatterns = [
        KeyPattern(byteCount: directoryKeySize, position: 48, byte: Kind.directory.rawValue),
        KeyPattern(byteCount: chunkKeySize, position: 48, byte: Kind.chunk.rawValue),
    ]

    /// Returns the number in the key of a chunk.
    static func number(inChunkKey key: [UInt8]) -> UInt32 {
        key[directoryKeySize...].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
