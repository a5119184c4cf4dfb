import Foundation
import SectionedFetch
import ToolSupport

extension Importer {
    /// What a failure of the store means for an import: which file, what of the import stays, and what to do.
    func failure(_ error: ObjectStorageError) -> ToolFailure {
        let path = container.url?.path(percentEncoded: false) ?? ""
        // The store speaks of one transaction; earlier ones of the import are there.
        let reason =
            error.code == .diskFull ? "The disk is full. Free some space and import again." : error.message
        guard summary.rows > 0 else { return ToolFailure("“\(path)”: \(reason)") }
        let kept = "What was imported before (\(Quantity.count(summary.rows, "row"))) stays"
        let warning = mapping.key == nil ? ", and without a key another import inserts it again." : "."
        return ToolFailure("“\(path)”: \(reason) \(kept)\(warning)")
    }
}
