import SectionedFetch
import CheckSupport

/// Changes of more rows at once than the log records.
extension History {
    /// Processes many unsaved rows, and then saves or rolls them back; deletes them after a save. Reports all
    /// of it row by row.
    func changeMany() throws {
        guard let logCapacity, !isReader, observed.parent == nil, try unsaved().isEmpty else {
            return try saveObserved()
        }
        actions.append("more rows than the log takes")
        // This save stamps the earlier writes of other programs. Without it, they and the save of many rows
        // would be in one epoch of the log.
        try observedWriter.look()
        try observedWriter.insertParts(1, &generator, plan)
        try save()
        watcher.mustTellRows = true
        defer { watcher.mustTellRows = false }
        try observedWriter.look()
        try observedWriter.insertParts(logCapacity + 1, &generator, plan)
        operations += logCapacity
        let isTakenBack = generator.once(in: 2)
        if isTakenBack { try observedWriter.deleteShelfUnread(&generator) }
        let isUnseen = generator.once(in: 3)
        if isUnseen {
            // The rows are saved without being processed first.
            actions.append("unseen")
        } else {
            for _ in 0..<2 {
                try observed.processPendingChanges()
                try watcher.checkNothingIsLeft(controller)
                if !isTakenBack { try change(observedWriter, 1) }
            }
        }
        guard !isTakenBack else {
            actions.append("rollback")
            observed.rollback()
            _ = observedWriter.takeWritten()
            return
        }
        // Deletions may change rows that a save does not name, such as links. Only the log records those.
        watcher.mustTellRows = isUnseen
        watcher.mayReload = !isUnseen
        let inserted = observed.insertedObjects.filter { $0.plainID.entityName == "Part" }
        try save()
        try watcher.checkNothingIsLeft(controller)
        for part in inserted { observed.delete(part) }
        watcher.mayReload = !isUnseen
        try save()
    }
}
