import Crypto

/// One chunk as a directory lists it: where it is stored, and what it must be to be believed.
///
/// Two equal records are of the same bytes, because the digest is among what is compared; so a chunk that a
/// directory lists need not be written again by whoever holds its record.
struct ChunkRecord: Hashable, Sendable {
    /// The number in its key.
    var number: UInt32
    /// How many rows it holds, at least one.
    let rowCount: Int
    /// The bytes that each row takes.
    let width: Int
    /// The random bytes that it begins with, as they lie in the file.
    let generation: Generation
    /// Its SHA-256, as it lies in the file.
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

    /// The bytes of the chunk.
    var byteCount: Int { CacheFormat.chunkHeaderSize + rowCount * width }

    /// A generation that nothing else has.
    static func newGeneration() -> Generation {
        Generation(low: .random(in: 0 ... .max), high: .random(in: 0 ... .max))
    }

    /// The SHA-256 of a chunk's bytes.
    static func digest(of bytes: UnsafeRawBufferPointer) -> Digest {
        // Without generics, which a start would have to look up.
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        return hash.finalize().withUnsafeBytes { $0.loadUnaligned(as: Digest.self) }
    }

    /// Whether bytes are the chunk that is meant.
    ///
    /// - Parameter isVerified: Whether these very bytes were compared with the digest before. Their
    ///   generation is always compared, because another chunk may have been stored under the number since.
    func describes(_ chunk: RawSpan, isVerified: Bool) -> Bool {
        guard chunk.byteCount == byteCount,
            chunk.withUnsafeBytes({ $0.loadUnaligned(as: Generation.self) }) == generation
        else { return false }
        return isVerified || chunk.withUnsafeBytes { Self.digest(of: $0) == digest }
    }
}

extension ChunkRecord {
    /// Reads a record of a chunk table; nil if it makes no sense.
    ///
    /// - Parameters:
    ///   - bytes: A directory.
    ///   - offset: Where the record begins; the bytes hold all of it.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, at place: Int) -> Integer {
            Integer(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + place, as: type))
        }
        number = integer(UInt32.self, at: 16)
        rowCount = Int(integer(UInt32.self, at: 8))
        // The width and three bytes that are zero.
        width = Int(integer(UInt32.self, at: 20))
        generation = bytes.loadUnaligned(fromByteOffset: offset + 24, as: Generation.self)
        digest = bytes.loadUnaligned(fromByteOffset: offset + 40, as: Digest.self)
        guard rowCount > 0, width <= 8, Int(integer(UInt32.self, at: 12)) == byteCount else { return nil }
    }

    /// Writes the record of a chunk whose first row has a position.
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
