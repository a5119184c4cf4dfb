import ObjectStorage
import Mutants

/// The rows that depend on changed rows of other tables through to-many relationships: those of the predicate
/// (decision 0055), and those that are displayed.
extension ChangedRowsReader {
    /// The number of owners that are examined in some ten milliseconds.
    private static var mostOwners: Int { 20_000 }

    /// Reads the rows whose predicate depends on changed rows of other tables through to-many relationships.
    ///
    /// - Parameter log: The log since the old results.
    mutating func readOwners(_ log: [TableRowChanges]) throws {
        guard !request.collectionSteps.isEmpty else { return }
        guard let owners = try owners(of: changedWithNewRows, log, through: request.collectionSteps),
            let touched = version.touchedOwners
        else {
            rows.isComplete = false
            return
        }
        candidates.formUnion(owners.union(touched))
        // A save that changed more rows than the log holds does not list references.
        if try !bulkSaves.isEmpty || !logsOwners(log, of: request.collectionSteps) { rows.isComplete = false }
    }

    /// The changed rows. New objects are compared with no earlier row, and count as changed.
    private var changedWithNewRows: [String: Set<Int64>] {
        var changed = changed
        for name in request.listedTables {
            changed[name, default: []].formUnion(snapshot.keysOfUnsavedRows(inTableNamed: name))
        }
        return changed
    }

    /// Reads the rows from which displayed to-many relationships, or those of computed values, lead to
    /// changed rows or to other rows than before. The content of these rows counts as changed.
    ///
    /// - Returns: False if the rows that display them cannot be determined. If the rows with computed values
    ///   cannot be determined, all positions are computed anew.
    mutating func readDisplayedOwners(_ log: [TableRowChanges]) throws -> Bool {
        if try !readOwners(of: request.aggregateSteps, log) { rows.isComplete = false }
        return try readOwners(of: request.displayedSteps, log)
    }

    private mutating func readOwners(
        of steps: [RequestDescription.CollectionStep], _ log: [TableRowChanges]
    ) throws -> Bool {
        guard !steps.isEmpty else { return true }
        var changed = changed
        for name in request.listedTables {
            for offset in request.list?.keyOffsets(ofTableNamed: name) ?? [] {
                let unsaved = snapshot.keysOfUnsavedRows(inTableNamed: name)
                changed[name, default: []].formUnion(unsaved.filter { rows.newKeys.contains($0 &+ offset) })
            }
        }
        let logged = Set(log.lazy.filter { !$0.keys.isEmpty || !$0.otherKeys.isEmpty }.map(\.tableName))
        let isConcerned = steps.contains { step in
            changed[step.tableName]?.isEmpty == false || logged.contains(step.tableName)
                || step.linkTableName.map(logged.contains) == true
                || version.displayedMembers[step.path]?.isEmpty == false
        }
        guard isConcerned else { return true }
        guard bulkSaves.isEmpty, version.touchedOwners != nil, try logsOwners(log, of: steps) else {
            return false
        }
        for step in steps {
            guard let changedMembers = try owners(of: changed, [], through: [step]),
                let others = try owners(of: [:], log, through: [step])
            else { return false }
            let earlier = version.displayedMembers[step.path] ?? [:]
            let doubtful = others.union(earlier.keys).subtracting(changedMembers)
            let members = try snapshot.members(of: doubtful, through: step.path)
            let owners = changedMembers.union(doubtful.filter { earlier[$0] != members[$0] })
            guard !owners.isEmpty else { continue }
            candidates.formUnion(owners)
            rows.changedKeys.formUnion(owners)
            rows.causes.collections.append(ChangeCauses.Collection(path: step.path, keys: owners))
        }
        return true
    }

    /// Returns whether the log has the objects to which changed references led before.
    private func logsOwners(
        _ log: [TableRowChanges], of steps: [RequestDescription.CollectionStep]
    ) throws -> Bool {
        for step in steps where step.storage == .inverseReference {
            let changes = log.first { $0.tableName == step.tableName }
            guard changes?.mayHaveReplacedRows != true,
                try snapshot.logsOwners(ofTableNamed: step.tableName)
            else { return false }
        }
        return true
    }

    /// Returns the keys of the rows from which the to-many relationships lead to changed rows, or
    /// led to them before.
    ///
    /// If a row before the last on such a path led elsewhere before, it changed itself, and its own previous
    /// owners are in the log.
    ///
    /// - Parameters:
    ///   - changed: The keys of changed rows, by table.
    ///   - log: The log of the tables.
    ///   - steps: The relationships.
    /// - Returns: Nil for more owners than can be examined faster than the list is computed.
    /// - Complexity: O(*k* log *n*) for *k* changed rows and their owners.
    private func owners(
        of changed: [String: Set<Int64>], _ log: [TableRowChanges],
        through steps: [RequestDescription.CollectionStep]
    ) throws -> Set<Int64>? {
        var owners: Set<Int64> = []
        func add(_ keys: Set<Int64>, through path: some Sequence<String>) throws -> Bool {
            owners.formUnion(
                try snapshot.keys(leadingTo: keys, through: path, atMost: Self.mostOwners + 1))
            return owners.count <= Self.mostOwners
        }
        for step in steps {
            if let keys = changed[step.tableName], !Mutant.missedOwner.isPlanted {
                guard try add(keys, through: step.path) else { return nil }
            }
            let previous: [Int64]?
            switch step.storage {
            case .reference: previous = nil
            // The list of other keys omits 0, which may be a key in an external table.
            case .inverseReference:
                previous = log.first { $0.tableName == step.tableName }.map { $0.otherKeys + [0] }
            case .link(let isForward):
                let links = log.first { $0.tableName == step.linkTableName }
                previous = isForward ? links?.keys : links.map { $0.otherKeys + [0] }
            }
            guard let previous, !Mutant.previousOwner.isPlanted || step.storage != .inverseReference else {
                continue
            }
            guard try add(Set(previous), through: step.path.dropLast()) else { return nil }
        }
        return owners
    }

    /// Reads the owners of rows that were written since the last stamps, or are part of unsaved changes.
    mutating func readTouchedOwners(_ log: [TableRowChanges]) throws {
        let steps = request.collectionSteps + request.shownSteps
        guard !steps.isEmpty, !Mutant.touchedOwner.isPlanted else { return }
        var touched = snapshot.provisionalRelatedObjects.mapValues { Set($0.keys) }
        for change in log { touched[change.tableName, default: []].formUnion(change.keys) }
        // Unsaved objects have other keys in another snapshot, and may change at any time.
        newVersion.touchedOwners = try owners(of: touched, log, through: steps)?.subtracting(
            snapshot.provisionalObjects.keys)
        for step in request.shownSteps {
            guard let owners = try owners(of: touched, log, through: [step]) else {
                newVersion.touchedOwners = nil
                return
            }
            newVersion.displayedMembers[step.path] = try snapshot.members(of: owners, through: step.path)
        }
    }
}
