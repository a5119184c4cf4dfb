import Crypto
import Mutants

/// The directory of an entry: the request and the token of the index, its sections, and the locations of its
/// rows.
///
/// It keeps the stored bytes and decodes a section when it is accessed, so that the cost of opening does not
/// depend on the names.
struct SectionDirectory: Sendable {
    /// The offsets of the parts, computed and checked once.
    struct Layout: Sendable {
        var sequence: UInt64 = 0
        var numberOfRows = 0
        var numberOfSections = 0
        var numberOfChunks = 0
        var rowsPerChunk = 0
        var canonical = 0..<0
        var summary = 0..<0
        var token = 0..<0
        var sections = 0..<0
        var chunks = 0..<0
        var retired = 0..<0
        var heap = 0..<0
    }

    /// The stored bytes.
    let bytes: [UInt8]
    let layout: Layout

    var numberOfRows: Int { layout.numberOfRows }
    var numberOfSections: Int { layout.numberOfSections }
    var numberOfChunks: Int { layout.numberOfChunks }
    var storeIdentity: [UInt8] { Array(bytes[88..<104]) }
    var canonicalBytes: ArraySlice<UInt8> { bytes[layout.canonical] }
    var summary: String { String(decoding: bytes[layout.summary], as: UTF8.self) }
    var tokenBytes: ArraySlice<UInt8> { bytes[layout.token] }

    /// The token of the entry; nil if its bytes are invalid.
    var token: StoreToken? { StoreToken(storeIdentity: storeIdentity, bytes: Array(tokenBytes)) }

    /// Returns whether the entry has the given token.
    func isAsOf(_ token: StoreToken) -> Bool {
        bytes[88..<104].elementsEqual(token.storeIdentity) && tokenBytes.elementsEqual(token.bytes)
    }
}

extension SectionDirectory {
    /// Returns the position of the first row of a section, which was checked when the directory was decoded.
    func firstRow(ofSection position: Int) -> Int {
        position == numberOfSections ? numberOfRows : Int(field(UInt64.self, section: position, offset: 0))
    }

    /// Returns the texts of a section as they are stored.
    func texts(ofSection position: Int) -> SectionTexts {
        SectionTexts(
            identity: text(section: position, offset: 8), name: text(section: position, offset: 16),
            indexTitle: text(section: position, offset: 24))
    }

    /// Returns whether a section has the given identity.
    func hasIdentity(_ identity: [UInt8], section position: Int) -> Bool {
        Int(field(UInt32.self, section: position, offset: 12)) == identity.count
            && text(section: position, offset: 8).elementsEqual(identity)
    }

    private func field<Integer: FixedWidthInteger>(_ type: Integer.Type, section: Int, offset: Int) -> Integer
    {
        bytes.withUnsafeBytes {
            Integer(
                littleEndian: $0.loadUnaligned(
                    fromByteOffset: layout.sections.lowerBound + section * CacheFormat.sectionSize + offset,
                    as: type))
        }
    }

    /// Returns a part of the heap, whose offset and count were checked when the directory was decoded.
    private func text(section: Int, offset: Int) -> ArraySlice<UInt8> {
        let start = layout.heap.lowerBound + Int(field(UInt32.self, section: section, offset: offset))
        return bytes[start..<start + Int(field(UInt32.self, section: section, offset: offset + 4))]
    }
}

extension SectionDirectory {
    /// Returns the position of the first row of a chunk, which was checked when the directory was decoded.
    func firstRow(ofChunk position: Int) -> Int {
        guard position < numberOfChunks else { return numberOfRows }
        return bytes.withUnsafeBytes {
            Int(
                UInt64(
                    littleEndian: $0.loadUnaligned(
                        fromByteOffset: layout.chunks.lowerBound + position * CacheFormat.chunkRecordSize,
                        as: UInt64.self)))
        }
    }

    /// Returns the record of a chunk, whose validity was checked when the directory was decoded.
    func chunk(at position: Int) -> ChunkRecord {
        let record = bytes.withUnsafeBytes {
            ChunkRecord($0, at: layout.chunks.lowerBound + position * CacheFormat.chunkRecordSize)
        }
        guard let record else { preconditionFailure("Chunk \(position) was not checked.") }
        return record
    }

    /// The number of bytes of all chunks.
    var chunkByteCount: Int { (0..<numberOfChunks).reduce(0) { $0 + chunk(at: $1).byteCount } }

    /// Returns the number of a chunk that does not belong to this index, but to the one from which the entry
    /// was advanced.
    func retiredNumber(at position: Int) -> UInt32 {
        bytes.withUnsafeBytes {
            UInt32(
                littleEndian: $0.loadUnaligned(
                    fromByteOffset: layout.retired.lowerBound + position * CacheFormat.retiredNumberSize,
                    as: UInt32.self))
        }
    }

    /// The number of retired chunks.
    var numberOfRetiredChunks: Int { layout.retired.count / CacheFormat.retiredNumberSize }
}

extension SectionDirectory {
    /// Returns the SHA-256 of a directory without the fields of the digest and the authentication code.
    static func digest(of bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: bytes[..<24])
        hash.update(data: bytes[88...])
        return Array(hash.finalize())
    }

    /// Returns the HMAC-SHA256 of a directory under a store's key, bound to the name of the cache.
    static func authenticationCode(of bytes: [UInt8], name: CacheName, key: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        if !Mutant.authenticationWithoutName.isPlanted {
            writer.appendCounted(Array(name.rawValue.utf8))
        }
        writer.append(Array(bytes[..<24]))
        writer.append(Array(bytes[88...]))
        return Array(HMAC<SHA256>.authenticationCode(for: writer.bytes, using: SymmetricKey(data: key)))
    }

    /// Returns whether the directory was made with a store's key under a name.
    func isAuthentic(name: CacheName, key: [UInt8]) -> Bool {
        if Mutant.authenticationSkipped.isPlanted { return true }
        // Both values are computed with a secret key, so the duration of a byte-by-byte comparison reveals
        // nothing of use.
        return Self.authenticationCode(of: bytes, name: name, key: key).elementsEqual(bytes[56..<88])
    }

    /// Whether the bytes are as they were written.
    var isIntact: Bool { Self.digest(of: bytes).elementsEqual(bytes[24..<56]) }
}
