import GRDB
import SectionedFetch
import CheckSupport

/// What the context of the list and its neighbours do.
extension History {
    func saveObserved() throws {
        guard !isReader else { return try saveOthers() }
        try change(observedWriter, size)
        try save()
    }

    /// Changes that are looked at before they are saved, and undone.
    func process() throws {
        guard !isReader else { return try writeFromElsewhere() }
        for _ in 0..<Int.random(in: 1..<3, using: &generator) {
            try change(observedWriter, size)
            actions.append("process")
            try observed.processPendingChanges()
            // Undoing what was saved brings back what others may not let be saved by now: an object that
            // leads to one they deleted.
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

    /// One statement over many rows, told by identities or by entity.
    func batchOperation() throws {
        guard try unsaved().isEmpty, observed.parent == nil else { return try saveObserved() }
        let isOwn = !isReader && generator.once(in: 2)
        let context = isOwn ? observed : otherWriters[0].context
        let resultType: BatchResultType = generator.once(in: 2) ? .count : .objectIDs
        let before = try warehouse.committed().savedParts
        let low = generator.number(below: 50)
        let request = FetchRequest<ManagedObject>(
            entityName: "Part", predicate: try .init(format: "rank BETWEEN {\(low), \(low + 5)}"))
        actions.append("batch operation over ranks from \(low), telling \(resultType)")
        // Without a log nobody knows more than what was told.
        if warehouse.schema.owner == .untracked { watcher.mayReload = true }
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

    /// Others commit, the list is told of something else, and only then what the others did is merged.
    func mergeLate() throws {
        guard observed.parent == nil, !observed.automaticallyMergesChanges, !isReader,
            warehouse.schema.owner != .untracked
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
        // What others wrote may be unwritten by now, by changes that are not saved.
        watcher.excuses.note(observedWriter.written)
        actions.append("resume")
        controller.resumeChanges()
    }

    func withoutReporting() throws {
        var unmerged: [StoreChanges] = []
        // A store without a log is known only as far as it was merged.
        if warehouse.schema.owner != .untracked, generator.once(in: 2) {
            actions.append("others save, unmerged")
            let writer = generator.one(of: otherWriters)
            try change(writer, size / 2, avoiding: try unsaved())
            unmerged.append(try save(writer))
        }
        actions.append("without reporting")
        let isOwn = !isReader && generator.once(in: 2)
        // What another program committed before may arrive only now. Without a log nobody knows that the list
        // shows it already.
        let mayArriveLate = warehouse.schema.owner == .untracked && observed.automaticallyMergesChanges
        try controller.withoutReporting {
            // What came before was told.
            try watcher.checkNothingIsLeft(controller)
            watcher.mustBeSilent = isOwn && !mayArriveLate
            watcher.mayReload = !watcher.mustBeSilent
            if isOwn { try saveObserved() } else { try saveOthers() }
        }
        watcher.mustBeSilent = false
        if isOwn { try watcher.begin(controller) } else { try watcher.checkNothingIsLeft(controller) }
        // To whoever looks at the objects it is new once it is merged.
        for changes in unmerged {
            watcher.excuses.noteRewritten(
                changes.insertedObjectIDs.union(changes.updatedObjectIDs).map { $0.plain($0.tableName) })
        }
        try merge(unmerged)
    }

    func replaceRequest() throws {
        let former = watcher.list
        var next = PlannedList.random(warehouse.schema, &generator)
        next.entityName = former.entityName
        for list in generator.once(in: 2) ? [next, former] : [next] {
            actions.append("replaced by \(list)")
            let isReported = generator.once(in: 2)
            watcher.isReplacing = true
            watcher.mustBeSilent = !isReported
            watcher.mayReload = true
            watcher.replace(by: list)
            try controller.replaceRequest(
                with: list.request(), sectionNameKeyPath: list.sectionKey, reportsChange: isReported)
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

    /// Something happens in the middle of a report.
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

    /// A write that changes nothing visible gives no report.
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
