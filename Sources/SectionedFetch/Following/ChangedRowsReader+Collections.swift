import ObjectStorage
import Mutants

/// The rows whose predicate depends on changed rows of other tables through to-many relationships (decision
/// 0055).
extension ChangedRowsReader {
    /// The number of owners that are examined in some ten milliseconds.
    private static var mostOwners: Int { 20_000 }

    /// Returns whether the log has the objects to which changed references led before.
    func logsOwners(_ log: [TableRowChanges]) throws -> Bool {
        for step in request.collectionSteps where step.storage == .inverseReference {
            let changes = log.first { $0.tableName == step.tableName }
            guard changes?.mayHaveReplacedRows != true,
                try snapshot.logsOwners(ofTableNamed: step.tableName)
            else { return false }
        }
        return true
    }

    /// Returns the keys of the rows from which the predicate's to-many relationships lead to changed rows, or
    /// led to them before.
    ///
    /// If a row before the last on such a path led elsewhere before, it changed itself, and its own previous
    /// owners are in the log.
    ///
    /// - Parameters:
    ///   - changed: The keys of changed rows, by table.
    ///   - log: The log of the tables.
    /// - Returns: Nil for more owners than can be examined faster than the list is computed.
    /// - Complexity: O(*k* log *n*) for *k* changed rows and their owners.
    func owners(of changed: [String: Set<Int64>], _ log: [TableRowChanges]) throws -> Set<Int64>? {
        var owners: Set<Int64> = []
        func add(_ keys: Set<Int64>, through path: some Sequence<String>) throws -> Bool {
            owners.formUnion(
                try snapshot.keys(leadingTo: keys, through: path, atMost: Self.mostOwners + 1))
            return owners.count <= Self.mostOwners
        }
        for step in request.collectionSteps {
            if let keys = changed[step.tableName], !Mutant.missedOwner.isPlanted {
                guard try add(keys, through: step.path) else { return nil }
            }
            let previous: [Int64]?
            switch step.storage {
            case .reference: previous = nil
            // The list of other keys omits 0, which may be a key in an existing table.
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
        guard !request.collectionSteps.isEmpty, !Mutant.touchedOwner.isPlanted else { return }
        var touched = snapshot.provisionalRelatedObjects.mapValues { Set($0.keys) }
        for change in log { touched[change.tableName, default: []].formUnion(change.keys) }
        // Unsaved objects have other keys in another snapshot, and may change at any time.
        newVersion.touchedOwners = try owners(of: touched, log)?.subtracting(
            snapshot.provisionalObjects.keys)
    }
}
