/// Reads bytes as the directory and the chunks of an entry, without an environment and without a key: for
/// programs that try what any bytes can do to those who read them.
///
/// A look-up compares the directory's authentication code before it reads more than the header, and a chunk's
/// digest before it reads a row. That neither is needed for reading to be safe is what these programs show.
package struct DirectoryReading {
    /// One section.
    package struct Section: Hashable, Sendable {
        /// What tells it apart.
        package let identity: [UInt8]
        /// What it is called.
        package let name: String
        /// Its title in an index bar.
        package let indexTitle: String
        /// The positions of its rows.
        package let rows: Range<Int>
    }

    /// One chunk, as the directory lists it.
    package struct Chunk: Hashable, Sendable {
        /// The position of its first row.
        package let firstRow: Int
        /// How many rows it holds.
        package let rowCount: Int
        /// The bytes that it must have.
        package let byteCount: Int
    }

    /// The bytes.
    package let bytes: [UInt8]
    /// The number of rows.
    package let numberOfRows: Int
    /// All sections, decoded.
    package let sections: [Section]
    /// All chunks.
    package let chunks: [Chunk]
    /// The request, if its bytes are one.
    package let request: CanonicalRequest?
    /// The token, if its bytes are one.
    package let token: StoreToken?
    /// The request in words.
    package let summary: String
    /// Whether the directory's digest is that of its bytes.
    package let isIntact: Bool

    /// Decodes a directory, and reads everything that is in it; nil if the bytes are refused.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    package init?(_ bytes: [UInt8]) {
        let directory: SectionDirectory
        do throws(SectionDirectory.DecodingFailure) {
            directory = try SectionDirectory(decoding: bytes)
        } catch {
            return nil
        }
        self.bytes = bytes
        numberOfRows = directory.numberOfRows
        sections = (0..<directory.numberOfSections).map { position in
            let section = directory.section(at: position)
            precondition(directory.hasIdentity(section.identity, section: position))
            return Section(
                identity: section.identity, name: section.name, indexTitle: section.indexTitle,
                rows: section.rows)
        }
        chunks = (0..<directory.numberOfChunks).map { position in
            let record = directory.chunk(at: position)
            return Chunk(
                firstRow: directory.firstRow(ofChunk: position), rowCount: record.rowCount,
                byteCount: record.byteCount)
        }
        for position in 0..<directory.numberOfRetiredChunks { _ = directory.retiredNumber(at: position) }
        request = CanonicalRequest(bytes: Array(directory.canonicalBytes), summary: directory.summary)
        token = directory.token
        summary = directory.summary
        isIntact = directory.isIntact
    }

    /// The rows of a chunk's bytes: all at once, and each by itself.
    ///
    /// - Returns: Nil if the bytes cannot be a chunk of so many rows.
    /// - Complexity: O(*n*) in the number of rows.
    package static func rows(ofChunk bytes: [UInt8], count: Int) -> (together: [Int64], singly: [Int64])? {
        let packed = bytes.withUnsafeBytes { PackedRows(RawSpan(_unsafeBytes: $0), count: count) }
        guard let rows = packed else { return nil }
        return rows.read { view in
            (view.rowIDs(in: 0..<count), (0..<count).map { view[$0] })
        }
    }
}
