import Foundation
import SectionedFetch
import ToolSupport

extension Importer {
    /// What a failure of the store means for an import: which file, what of the import stays, and what to do.
    func failure(_ error: ObjectStorageError) -> ToolFailure {
        let path = "“\(container.url?.path(percentEncoded: false) ?? "")”: "
        let error = container.explained(error)
        // The store speaks of one transaction; earlier ones of the import are there.
        let reason =
            error.code == .diskFull ? "The disk is full. Free some space and import again." : error.message
        let message = reason.hasPrefix(path) ? reason : path + reason
        guard summary.rows > 0 else { return ToolFailure(message) }
        let kept = "What was imported before (\(Quantity.count(summary.rows, "row"))) stays"
        let warning = mapping.key == nil ? ", and without a key another import inserts it again." : "."
        return ToolFailure("\(message) \(kept)\(warning)")
    }
}
