import Crypto
import Mutants

/// The directory of an entry: what the index is of, as of when, its sections, and where its rows are.
///
/// It keeps the stored bytes and decodes a section when it is asked for, so that opening costs the same for
/// any names.
struct SectionDirectory: Sendable {
    /// Where things are in the bytes, worked out and checked once.
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

    /// The token that the entry is as of; nil if its bytes make no sense.
    var token: StoreToken? { StoreToken(storeIdentity: storeIdentity, bytes: Array(tokenBytes)) }

    /// Whether the entry is as of a token.
    func isAsOf(_ token: StoreToken) -> Bool {
        bytes[88..<104].elementsEqual(token.storeIdentity) && tokenBytes.elementsEqual(token.bytes)
    }
}

extension SectionDirectory {
    /// The position of the first row of a section. Checked when the directory was decoded.
    func firstRow(ofSection position: Int) -> Int {
        position == numberOfSections ? numberOfRows : Int(field(UInt64.self, section: position, offset: 0))
    }

    /// A section, decoded.
    func section(at position: Int) -> SectionIndex.Section {
        let texts = texts(ofSection: position)
        return SectionIndex.Section(
            identity: Array(texts.identity), name: String(decoding: texts.name, as: UTF8.self),
            indexTitle: String(decoding: texts.indexTitle, as: UTF8.self),
            rows: firstRow(ofSection: position)..<firstRow(ofSection: position + 1))
    }

    /// What a section is called, as it is stored.
    func texts(ofSection position: Int) -> SectionTexts {
        SectionTexts(
            identity: text(section: position, offset: 8), name: text(section: position, offset: 16),
            indexTitle: text(section: position, offset: 24))
    }

    /// Whether a section has an identity.
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

    /// A piece of the heap; its offset and count were checked when the directory was decoded.
    private func text(section: Int, offset: Int) -> ArraySlice<UInt8> {
        let start = layout.heap.lowerBound + Int(field(UInt32.self, section: section, offset: offset))
        return bytes[start..<start + Int(field(UInt32.self, section: section, offset: offset + 4))]
    }
}

extension SectionDirectory {
    /// The position of the first row of a chunk. Checked when the directory was decoded.
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

    /// A chunk. Nothing of it makes no sense, which was checked when the directory was decoded.
    func chunk(at position: Int) -> ChunkRecord {
        let record = bytes.withUnsafeBytes {
            ChunkRecord($0, at: layout.chunks.lowerBound + position * CacheFormat.chunkRecordSize)
        }
        guard let record else { preconditionFailure("Chunk \(position) was not checked.") }
        return record
    }

    /// The bytes of all chunks.
    var chunkByteCount: Int { (0..<numberOfChunks).reduce(0) { $0 + chunk(at: $1).byteCount } }

    /// The number of a chunk that is not of this index any more but of the one that it was advanced from.
    func retiredNumber(at position: Int) -> UInt32 {
        bytes.withUnsafeBytes {
            UInt32(
                littleEndian: $0.loadUnaligned(
                    fromByteOffset: layout.retired.lowerBound + position * CacheFormat.retiredNumberSize,
                    as: UInt32.self))
        }
    }

    /// How many chunks are retired.
    var numberOfRetiredChunks: Int { layout.retired.count / CacheFormat.retiredNumberSize }
}

extension SectionDirectory {
    /// The SHA-256 of a directory, without the fields that hold it and the authentication code.
    static func digest(of bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: bytes[..<24])
        hash.update(data: bytes[88...])
        return Array(hash.finalize())
    }

    /// The HMAC-SHA256 of a directory under a store's key, bound to the name of the cache.
    static func authenticationCode(of bytes: [UInt8], name: CacheName, key: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        if !Mutant.authenticationWithoutName.isPlanted {
            writer.appendCounted(Array(name.rawValue.utf8))
        }
        writer.append(Array(bytes[..<24]))
        writer.append(Array(bytes[88...]))
        return Array(HMAC<SHA256>.authenticationCode(for: writer.bytes, using: SymmetricKey(data: key)))
    }

    /// Whether the directory was made with a store's key under a name.
    func isAuthentic(name: CacheName, key: [UInt8]) -> Bool {
        if Mutant.authenticationSkipped.isPlanted { return true }
        // Both are digests of secret-keyed data; comparing them byte by byte tells an attacker nothing that
        // helps.
        return Self.authenticationCode(of: bytes, name: name, key: key).elementsEqual(bytes[56..<88])
    }

    /// Whether the bytes are as they were written.
    var isIntact: Bool { Self.digest(of: bytes).elementsEqual(bytes[24..<56]) }
}
