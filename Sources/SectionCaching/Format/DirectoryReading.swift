/// Bytes that are read as the directory and the chunks of an entry, without an environment and without a key.
/// Programs use this type to test that no bytes can harm their reader.
///
/// A look-up verifies the directory's authentication code before it uses the decoded directory, and a chunk's
/// digest before it returns a row. These programs show that reading is safe even without either check.
package struct DirectoryReading {
    /// One section.
    package struct Section: Hashable, Sendable {
        /// The identity of the section.
        package let identity: [UInt8]
        /// The name of the section.
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
        /// The number of its rows.
        package let rowCount: Int
        /// The number of bytes that it must have.
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
    /// The request, if its bytes are valid.
    package let request: CanonicalRequest?
    /// The token, if its bytes are valid.
    package let token: StoreToken?
    /// The description of the request.
    package let summary: String
    /// Whether the directory's digest matches its bytes.
    package let isIntact: Bool

    /// Decodes a directory, and reads all of its contents; returns nil if the bytes are refused.
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

    /// Returns the rows of a chunk's bytes: read all at once, and one by one.
    ///
    /// - Returns: Nil if the bytes cannot be a chunk of this many rows.
    /// - Complexity: O(*n*) in the number of rows.
    package static func rows(ofChunk bytes: [UInt8], count: Int) -> (together: [Int64], singly: [Int64])? {
        let packed = bytes.withUnsafeBytes { PackedRows(RawSpan(_unsafeBytes: $0), count: count) }
        guard let rows = packed else { return nil }
        return rows.read { view in
            (view.rowIDs(in: 0..<count), (0..<count).map { view[$0] })
        }
    }
}
