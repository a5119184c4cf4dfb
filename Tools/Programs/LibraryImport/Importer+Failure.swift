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
            switch error.code {
            case .diskFull: "The disk is full. Free some space and import again."
            case .modelMismatch:
                "Another program changed\(error.entityName.map { " “\($0)” of" } ?? "") the store while the file was read. Import again."
            case .storeReplaced:
                "The store was replaced, moved or deleted during the import. Import again into the one that is meant."
            default: error.message
            }
        let message = reason.contains(path) ? reason : "\(path): \(reason)"
        // Nobody knows what was in the store by then.
        let whatStays = error.code == .storeReplaced ? nil : whatStays
        return ToolFailure(message + (whatStays.map { " " + $0 } ?? ""))
    }

    /// What a stopped import has left in the store, in words; nil if nothing.
    var whatStays: String? {
        guard summary.rows > 0 else { return nil }
        let kept = "What was imported before (\(Quantity.count(summary.rows, "row"))) stays"
        return kept + (mapping.key == nil ? ", and without a key another import inserts it again." : ".")
    }
}
