import GRDB
import SectionedFetch
import CheckSupport

/// The actions of the list's context and of other contexts.
extension History {
    func saveObserved() throws {
        guard !isReader else { return try saveOthers() }
        try change(observedWriter, size)
        try save()
    }

    /// Makes changes, processes them before any save, and undoes and redoes some.
    func process() throws {
        guard !isReader else { return try writeFromElsewhere() }
        for _ in 0..<Int.random(in: 1..<3, using: &generator) {
            try change(observedWriter, size)
            actions.append("process")
            try observed.processPendingChanges()
            // An undo of a saved change can bring back an object whose save must fail: others may have
            // deleted the object that it leads to.
            guard observed.undoManager != nil, observed.hasChanges, generator.once(in: 2) else { continue }
            try watcher.checkNothingIsLeft(controller)
            actions.append("undo")
            try observed.undo()
            guard generator.once(in: 2) else { continue }
            try watcher.checkNothingIsLeft(controller)
            actions.append("redo")
            try observed.redo()
        }
    }

    func saveOthers() throws {
        actions.append("others save")
        let avoided = try unsaved()
        var changes: [StoreChanges] = []
        for _ in 0..<Int.random(in: 1..<4, using: &generator) {
            let writer = generator.one(of: otherWriters)
            try change(writer, size / 2, avoiding: avoided)
            changes.append(try save(writer))
        }
        try merge(changes)
    }

    /// Runs one batch operation, whose result names the rows or only the entity.
    func batchOperation() throws {
        guard try unsaved().isEmpty, observed.parent == nil else { return try saveObserved() }
        let isOwn = !isReader && generator.once(in: 2)
        let context = isOwn ? observed : otherWriters[0].context
        let resultType: BatchResultType = generator.once(in: 2) ? .count : .objectIDs
        let before = try warehouse.committed().savedParts
        let low = generator.number(below: 50)
        let request = FetchRequest<ManagedObject>(
            entityName: "Part", predicate: try .init(format: "rank BETWEEN {\(low), \(low + 5)}"))
        actions.append("batch operation over ranks from \(low), result type \(resultType)")
        // Without a log only the result of the operation says which rows changed.
        if warehouse.schema.origin == .untracked { watcher.mayReload = true }
        watcher.excuses.note(before)
        watcher.excuses.note(try warehouse.committed().savedShelves)
        let result: BatchResult
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: result = try context.batchDelete(request, resultType: resultType)
        case 1:
            let field = generator.one(of: [WarehouseSchema.Field.name, .lot, .rank, .price, .made, .note])
            result = try context.batchUpdate(
                request, set: [.set(field.attribute, to: plan.value(of: field, &generator))],
                resultType: resultType)
        case 2:
            result = try context.batchUpdate(
                FetchRequest<ManagedObject>(entityName: "Shelf", predicate: try .init(format: "note < 3")),
                set: [.set("note", to: .integer(generator.number(below: 6)))], resultType: resultType)
        default:
            guard before.count < plan.numberOfParts else { return }
            let rows = (0..<5).map { _ in
                Dictionary(
                    uniqueKeysWithValues: WarehouseSchema.Field.allCases.map {
                        ($0.attribute, plan.value(of: $0, &generator))
                    })
            }
            result = try context.batchInsert(
                ManagedObject.self, entityName: "Part", rows: rows, resultType: resultType)
        }
        operations += 5
        if !isOwn { try merge([result.changes]) }
    }

    /// Others commit, the list reports another change, and only then the context merges the commit of the
    /// others.
    func mergeLate() throws {
        guard observed.parent == nil, !observed.automaticallyMergesChanges, !isReader,
            warehouse.schema.origin != .untracked
        else {
            return try saveOthers()
        }
        actions.append("late")
        let writer = generator.one(of: otherWriters)
        try change(writer, size / 2)
        let late = writer.takeWritten()
        watcher.excuses.note(late)
        let changes = try writer.context.save()
        try change(observedWriter, 3, avoiding: late.union(try warehouse.committed().savedShelves))
        try save()
        watcher.excuses.noteRewritten(late)
        try merge([changes])
    }

    func pause() throws {
        actions.append("pause")
        controller.pauseChanges()
        watcher.mustBeSilent = true
        for _ in 0..<Int.random(in: 1..<4, using: &generator) {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: try saveObserved()
            case 1: try saveOthers()
            case 2: try writeFromElsewhere()
            default:
                if !isReader { try change(observedWriter, size) }
                try observed.processPendingChanges()
            }
        }
        watcher.mustBeSilent = false
        // Unsaved changes may have undone by now what others wrote.
        watcher.excuses.note(observedWriter.written)
        actions.append("resume")
        controller.resumeChanges()
    }

    func withoutReporting() throws {
        var unmerged: [StoreChanges] = []
        // Changes of a store without a log are known only as far as they were merged.
        if warehouse.schema.origin != .untracked, generator.once(in: 2) {
            actions.append("others save, unmerged")
            let writer = generator.one(of: otherWriters)
            try change(writer, size / 2, avoiding: try unsaved())
            unmerged.append(try save(writer))
        }
        actions.append("without reporting")
        let isOwn = !isReader && generator.once(in: 2)
        // An earlier commit of another program may arrive only now. Without a log the controller cannot know
        // that the list shows it already.
        let mayArriveLate = warehouse.schema.origin == .untracked && observed.automaticallyMergesChanges
        try controller.withoutReporting {
            // Everything before this was reported.
            try watcher.checkNothingIsLeft(controller)
            watcher.mustBeSilent = isOwn && !mayArriveLate
            watcher.mayReload = !watcher.mustBeSilent
            if isOwn { try saveObserved() } else { try saveOthers() }
        }
        watcher.mustBeSilent = false
        if isOwn { try watcher.begin(controller) } else { try watcher.checkNothingIsLeft(controller) }
        // These changes become visible in the objects only when they are merged.
        for changes in unmerged {
            watcher.excuses.noteRewritten(
                changes.insertedObjectIDs.union(changes.updatedObjectIDs).map { $0.plain })
        }
        try merge(unmerged)
    }

    func replaceRequest() throws {
        let previous = watcher.list
        var next = PlannedList.random(warehouse.schema, &generator)
        if next.entityNames.count == 1, previous.entityNames.count == 1 {
            next.entityName = previous.entityName
        }
        for list in generator.once(in: 2) ? [next, previous] : [next] {
            actions.append("replaced by \(list)")
            let isReported = generator.once(in: 2)
            watcher.isReplacing = true
            watcher.mustBeSilent = !isReported
            watcher.mayReload = true
            watcher.replace(by: list)
            try controller.reportUpdates(ofPropertiesNamed: nil)
            try controller.replaceRequest(
                with: list.request(), sectionNameKeyPath: list.sectionKey, reportsChange: isReported)
            try controller.reportUpdates(ofPropertiesNamed: list.reported)
            watcher.isReplacing = false
            watcher.mustBeSilent = false
            if isReported { try watcher.checkReplacement(controller) } else { try watcher.begin(controller) }
        }
        hasFlooded = true
    }

    func fetchAgain() throws {
        let isReported = generator.once(in: 2)
        if !isReader { try change(observedWriter, size) }
        actions.append("fetch again, \(isReported ? "" : "not ")reported")
        if isReported {
            try controller.performFetch(reportsChange: true)
        } else {
            watcher.mustBeSilent = true
            try controller.performFetch()
            watcher.mustBeSilent = false
            try watcher.begin(controller)
        }
    }

    /// Fetches or saves in the middle of a report.
    func interrupt() throws {
        actions.append("interrupted")
        let isFetching = isReader || observed.parent != nil || generator.once(in: 2)
        watcher.interruption = { [unowned self] in
            if isFetching {
                try controller.performFetch()
            } else {
                try change(observedWriter, 3)
                try save()
            }
        }
        try saveObserved()
        watcher.interruption = nil
    }

    /// Makes writes without a visible effect, which must not be reported.
    func noteNothing() throws {
        actions.append("nothing")
        guard warehouse.schema.isOurs else { return try saveOthers() }
        watcher.mustBeSilent = true
        let parts = try warehouse.committed().savedParts
        try warehouse.foreign.write { database in
            try database.execute(sql: "UPDATE Part SET name = name, lot = lot, rank = rank")
        }
        if let part = parts.first {
            try otherWriters[0].context.batchUpdate(
                FetchRequest<ManagedObject>(entityName: "Part", predicate: try .init(format: "rank < 0")),
                set: [.set("note", to: .integer(part.primaryKey ?? 0))])
        }
        try mergeAll()
        watcher.mustBeSilent = false
    }
}
