import Crypto

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
        var heap = 0..<0
        var chunks = 0..<0
    }

    /// The stored bytes.
    let bytes: [UInt8]
    let layout: Layout

    var numberOfRows: Int { layout.numberOfRows }
    var numberOfSections: Int { layout.numberOfSections }
    var numberOfChunks: Int { layout.numberOfChunks }
    var generation: ArraySlice<UInt8> { bytes[88..<104] }
    var storeIdentity: [UInt8] { Array(bytes[104..<120]) }
    var canonicalBytes: ArraySlice<UInt8> { bytes[layout.canonical] }
    var summary: String { String(decoding: bytes[layout.summary], as: UTF8.self) }
    var tokenBytes: ArraySlice<UInt8> { bytes[layout.token] }

    /// The token that the entry is as of; nil if its bytes make no sense.
    var token: StoreToken? { StoreToken(storeIdentity: storeIdentity, bytes: Array(tokenBytes)) }

    /// The position of the first row of a section. Checked when the directory was decoded.
    func firstRow(ofSection position: Int) -> Int {
        position == numberOfSections ? numberOfRows : Int(field(UInt64.self, section: position, offset: 0))
    }

    /// A section, decoded.
    func section(at position: Int) -> SectionIndex.Section {
        let identity = text(section: position, offset: 8)
        return SectionIndex.Section(
            identity: Array(identity),
            name: String(decoding: text(section: position, offset: 16), as: UTF8.self),
            indexTitle: String(decoding: text(section: position, offset: 24), as: UTF8.self),
            rows: firstRow(ofSection: position)..<firstRow(ofSection: position + 1))
    }

    /// How many rows a chunk holds.
    func rows(ofChunk number: Int) -> Range<Int> {
        let first = number * layout.rowsPerChunk
        return first..<min(first + layout.rowsPerChunk, numberOfRows)
    }

    /// The SHA-256 of a chunk.
    func digest(ofChunk number: Int) -> ArraySlice<UInt8> {
        let start = layout.chunks.lowerBound + number * CacheFormat.chunkRecordSize + 16
        return bytes[start..<start + 32]
    }

    private func field<Integer: FixedWidthInteger>(_ type: Integer.Type, section: Int, offset: Int) -> Integer
    {
        var reader = ByteReader(
            bytes, at: layout.sections.lowerBound + section * CacheFormat.sectionSize + offset)
        return reader.read(type) ?? 0
    }

    /// A piece of the heap; its offset and count were checked when the directory was decoded.
    private func text(section: Int, offset: Int) -> ArraySlice<UInt8> {
        let start = layout.heap.lowerBound + Int(field(UInt32.self, section: section, offset: offset))
        return bytes[start..<start + Int(field(UInt32.self, section: section, offset: offset + 4))]
    }
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
        writer.appendCounted(Array(name.rawValue.utf8))
        writer.append(Array(bytes[..<24]))
        writer.append(Array(bytes[88...]))
        return Array(HMAC<SHA256>.authenticationCode(for: writer.bytes, using: SymmetricKey(data: key)))
    }

    /// Whether the directory was made with a store's key under a name.
    func isAuthentic(name: CacheName, key: [UInt8]) -> Bool {
        // Both are digests of secret-keyed data; comparing them byte by byte tells an attacker nothing that
        // helps.
        Self.authenticationCode(of: bytes, name: name, key: key).elementsEqual(bytes[56..<88])
    }

    /// Whether the bytes are as they were written.
    var isIntact: Bool { Self.digest(of: bytes).elementsEqual(bytes[24..<56]) }
}

extension SectionDirectory {
    /// The bytes of all chunks, as the chunk table says.
    var chunkByteCount: Int {
        (0..<numberOfChunks).reduce(0) { total, number in
            var reader = ByteReader(
                bytes, at: layout.chunks.lowerBound + number * CacheFormat.chunkRecordSize + 12)
            return total + Int(reader.read(UInt32.self) ?? 0)
        }
    }
}
