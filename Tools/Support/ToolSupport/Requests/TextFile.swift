import Foundation
package import SectionedFetch

/// The detection of text files that are passed in place of a store.
package enum TextFile {
    /// The number of bytes that are examined.
    private static let examinedByteCount = 4_096

    /// Returns whether a file begins with text: with a byte order mark of UTF-16, or in UTF-8 or another
    /// extension of ASCII, without control characters other than white space.
    package static func isAt(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: PathArgument.url(path).path) else { return false }
        defer { file.closeFile() }
        guard let bytes = try? file.read(upToCount: examinedByteCount), !bytes.isEmpty else { return false }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }) else {
            return false
        }
        let characters = String(decoding: bytes, as: UTF8.self).unicodeScalars
        return characters.count { $0 == "\u{FFFD}" } * 2 < characters.count
    }

    /// Runs a closure that opens a store, and replaces the error for a text file by one that names the
    /// import.
    ///
    /// - Throws: ``ObjectStorageError`` of the closure.
    package static func explaining<Result>(
        _ path: String, _ body: () throws(ObjectStorageError) -> Result
    ) throws(ObjectStorageError) -> Result {
        do throws(ObjectStorageError) {
            return try body()
        } catch  where error.code == .notADatabase && isAt(path) {
            let base = path.range(of: ".", options: .backwards).map { String(path[..<$0.lowerBound]) } ?? path
            let store = "\(base.isEmpty || base.hasSuffix("/") ? path : base).store"
            throw ObjectStorageError(
                .notADatabase,
                "“\(path)” is not an SQLite database but a text file. Import it first: library-import \(path) \(store == path ? "NEW.store" : store)"
            )
        }
    }
}
