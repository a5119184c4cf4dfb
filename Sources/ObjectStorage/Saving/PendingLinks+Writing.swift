import GRDB

extension PendingLinks {
    /// Writes the changes in the transaction that `database` is in, after the rows of the objects.
    ///
    /// - Parameters:
    ///   - keys: The keys of new objects.
    ///   - dangling: The pairs that are not inserted.
    ///   - spacing: The distances of new positions.
    /// - Returns: The number of rows written.
    func write(
        keys: NewObjectKeys, except dangling: Set<Pair>, to database: Database,
        spacing: OrderPositions.Spacing = .usual
    ) throws -> Int {
        let name = table.tableSQL
        let (sources, targets) = (table.sourceSQL, table.targetSQL)
        let isColumn = table.isColumnOfTargets
        let deletion =
            isColumn
            ? "UPDATE \(name) SET \(sources) = NULL WHERE \(sources) = ?1 AND \(targets) = ?2"
            : "DELETE FROM \(name) WHERE \(sources) = ?1 AND \(targets) = ?2"
        let insertion =
            if isColumn {
                "UPDATE \(name) SET \(sources) = ?1 WHERE \(targets) = ?2"
            } else if spacing.assignsPositionsLast {
                "INSERT INTO \(name) (\(sources), \(targets)) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
            } else if let order = table.existing?.orderColumn?.columnIdentifier {
                // The column of an external table may be NOT NULL, so each pair gets a position at once.
                "INSERT INTO \(name) (\(sources), \(targets), \(order)) SELECT ?1, ?2, ifnull(max(\(order)), 0) + 1 FROM \(name) WHERE \(sources) = ?1 ON CONFLICT DO NOTHING"
            } else {
                "INSERT INTO \(name) (\(sources), \(targets)) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
            }
        var count = 0
        func key(_ object: ManagedObject) -> StoredValue? {
            guard !object.isDeleted else { return nil }
            return (object.rowKey ?? keys[object]).map(StoredValue.integer)
        }
        for pair in removed {
            guard let source = key(pair.source), let target = key(pair.target) else { continue }
            try database.run(deletion, [source, target])
            count += database.changesCount
        }
        for pair in added.all where !dangling.contains(pair) {
            guard let source = key(pair.source), let target = key(pair.target) else { continue }
            // Another context may have made the same pair.
            try database.run(insertion, [source, target])
            count += database.changesCount
        }
        for (end, orders) in [
            (LinkEnd(table: table, isForward: true), targetOrders),
            (LinkEnd(table: table, isForward: false), sourceOrders),
        ] {
            guard let column = end.positionColumn else { continue }
            for (owner, objects) in orders {
                guard let owner = key(owner) else { continue }
                count += try write(
                    objects.compactMap(key), of: owner, column, at: end, spacing, to: database)
            }
        }
        return count
    }

    /// Assigns new positions to the rows of one object whose order changed.
    private func write(
        _ others: [StoredValue], of owner: StoredValue, _ column: String, at end: LinkEnd,
        _ spacing: OrderPositions.Spacing, to database: Database
    ) throws -> Int {
        let name = table.tableSQL
        let rows = try database.rows(
            "SELECT \(end.otherColumn), \(column) FROM \(name) WHERE \(end.ownColumn) = ?1 ORDER BY \(column) IS NULL, \(column), \(end.otherColumn)",
            [owner])
        var positions: [StoredValue: Int64] = [:]
        for row in rows { if case .integer(let position) = row[1] { positions[row[0]] = position } }
        let listed = Set(others)
        let present = Set(rows.map { $0[0] })
        // Rows that were added elsewhere, and are therefore not listed, come last.
        let list = others.filter(present.contains) + rows.map { $0[0] }.filter { !listed.contains($0) }
        let assigned = OrderPositions.assign(current: list.map { positions[$0] }, spacing: spacing)
        var count = 0
        for (other, position) in zip(list, assigned) where positions[other] != position {
            try database.run(
                "UPDATE \(name) SET \(column) = ?3 WHERE \(end.ownColumn) = ?1 AND \(end.otherColumn) = ?2",
                [owner, other, .integer(position)])
            count += database.changesCount
        }
        return count
    }
}
