import Crypto

/// The record of a chunk in a directory: its location, and the values by which it is verified.
///
/// Equal records describe equal bytes, because they include the digest. So a chunk need not be written again
/// if the directory lists its record.
struct ChunkRecord: Hashable, Sendable {
    /// The number in its key.
    var number: UInt32
    /// The number of rows, at least one.
    let rowCount: Int
    /// The number of bytes of each row.
    let width: Int
    /// The random bytes at the beginning of the chunk, as stored in the file.
    let generation: Generation
    /// The SHA-256 of the chunk, as stored in the file.
    let digest: Digest

    struct Generation: Hashable {
        let low: UInt64
        let high: UInt64

        static let zero = Generation(low: 0, high: 0)
    }

    struct Digest: Hashable {
        let first: UInt64
        let second: UInt64
        let third: UInt64
        let fourth: UInt64
    }

    /// The number of bytes of the chunk.
    var byteCount: Int { CacheFormat.chunkHeaderSize + rowCount * width }

    /// Returns a unique generation.
    static func newGeneration() -> Generation {
        Generation(low: .random(in: 0 ... .max), high: .random(in: 0 ... .max))
    }

    /// Returns the SHA-256 of a chunk's bytes.
    static func digest(of bytes: UnsafeRawBufferPointer) -> Digest {
        // Not generic, because a start would have to look up the types.
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        return hash.finalize().withUnsafeBytes { $0.loadUnaligned(as: Digest.self) }
    }

    /// Returns whether bytes are the chunk of this record.
    ///
    /// - Parameter isVerified: Whether exactly these bytes were compared with the digest before. Their
    ///   generation is always compared, because another chunk may have been stored under the number since.
    func describes(_ chunk: RawSpan, isVerified: Bool) -> Bool {
        guard chunk.byteCount == byteCount,
            chunk.withUnsafeBytes({ $0.loadUnaligned(as: Generation.self) }) == generation
        else { return false }
        return isVerified || chunk.withUnsafeBytes { Self.digest(of: $0) == digest }
    }
}

extension ChunkRecord {
    /// Reads a record of a chunk table; returns nil if it is invalid.
    ///
    /// - Parameters:
    ///   - bytes: A directory.
    ///   - offset: The offset of the record, all of which is within the bytes.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, at fieldOffset: Int) -> Integer {
            Integer(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + fieldOffset, as: type))
        }
        number = integer(UInt32.self, at: 16)
        rowCount = Int(integer(UInt32.self, at: 8))
        // The width and three bytes that are zero.
        width = Int(integer(UInt32.self, at: 20))
        generation = bytes.loadUnaligned(fromByteOffset: offset + 24, as: Generation.self)
        digest = bytes.loadUnaligned(fromByteOffset: offset + 40, as: Digest.self)
        guard rowCount > 0, width <= 8, Int(integer(UInt32.self, at: 12)) == byteCount else { return nil }
    }

    /// Appends the record of a chunk whose first row has a position.
    func append(to writer: inout ByteWriter, firstRow: Int) {
        writer.append(UInt64(firstRow))
        writer.append(UInt32(rowCount))
        writer.append(UInt32(byteCount))
        writer.append(number)
        writer.append(UInt32(width))
        withUnsafeBytes(of: generation) { writer.append(Array($0)) }
        withUnsafeBytes(of: digest) { writer.append(Array($0)) }
    }
}
