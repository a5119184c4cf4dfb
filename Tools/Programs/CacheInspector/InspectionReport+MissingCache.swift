import Foundation
import SectionCaching
import ToolSupport

extension InspectionReport {
    /// Describes a cache that does not exist, with the names of existing caches: an empty list for --watch,
    /// which waits for the cache.
    ///
    /// - Throws: ``ToolFailure`` without --watch; ``CacheInspectionError``.
    init(ofMissingCache name: CacheName, _ options: InspectionOptions) throws {
        let names = try options.caches.cacheNames()
        let others =
            names.prefix(5).map { "“\($0)”" }.joined(separator: ", ") + (names.count > 5 ? ", …" : "")
        let found =
            options.missingDirectory != nil
            ? ", which does not exist. Check --cache-directory."
            : names.isEmpty ? ". The directory has no caches." : ". Available: \(others)."
        let message = "There is no cache “\(name)” in “\(options.directory.path)”\(found)"
        guard options.watch != nil else { throw ToolFailure(message) }
        self.init(.array([]), [TerminalText.escaped(message)])
    }
}
