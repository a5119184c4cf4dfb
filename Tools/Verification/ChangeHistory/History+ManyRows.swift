import SectionedFetch
import CheckSupport

/// More rows at once than the log takes.
extension History {
    /// Many unsaved rows are looked at, and then saved or taken back; what was saved is deleted. All of it is
    /// told row by row.
    func changeMany() throws {
        guard let logCapacity, !isReader, observed.parent == nil, try unsaved().isEmpty else {
            return try saveObserved()
        }
        actions.append("more rows than the log takes")
        // What another program wrote before is stamped with this. What nobody stamped and the save of many rows
        // would be one state of the log.
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
            // Nobody looks at them before they are saved.
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
        // Deletions may change rows that a save does not name, links for instance, of which only the log
        // could tell.
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
