import Foundation
import SectionedFetch
import ToolSupport

extension Importer {
    /// What a failure of the store means for an import: which file, what of the import stays, and what to do.
    func failure(_ error: ObjectStorageError) -> ToolFailure {
        let path = "“\(target.path)”"
        let error = target.explained(error)
        // The store speaks of one transaction; earlier ones of the import are there.
        let reason =
            error.code == .diskFull ? "The disk is full. Free some space and import again." : error.message
        let message = reason.contains(path) ? reason : "\(path): \(reason)"
        return ToolFailure(message + (whatStays.map { " " + $0 } ?? ""))
    }

    /// What a stopped import has left in the store, in words; nil if nothing.
    var whatStays: String? {
        guard summary.rows > 0 else { return nil }
        let kept = "What was imported before (\(Quantity.count(summary.rows, "row"))) stays"
        return kept + (mapping.key == nil ? ", and without a key another import inserts it again." : ".")
    }
}
