import GRDB

extension MigrationPlan {
    /// Copies the retained link tables to their new names and columns.
    func copyLinks(in database: Database) throws {
        // All are copied before the first is renamed: two relationships may have exchanged their names.
        var trackingIDs: [Int64?] = []
        for (number, link) in links.enumerated() {
            let trackingID = try ChangeTracking.trackingID(of: link.source.name, in: database)
            if let trackingID {
                try ChangeTracking.rename(trackingID: trackingID, to: "sc_new_\(number)", in: database)
            }
            trackingIDs.append(trackingID)
            try copy(link, as: number, in: database)
        }
        for (number, link) in links.enumerated() {
            try name(link, number, trackingID: trackingIDs[number], in: database)
        }
    }

    /// Copies a link table to its new columns, under a name that no entity has.
    private func copy(_ link: Link, as number: Int, in database: Database) throws {
        let (source, destination) = (link.source, link.destination)
        let new = "main.\"sc_new_\(number)\""
        try database.run(
            StoreSchema.linkTable(destination, of: model)[0].replacing(
                "CREATE TABLE main.\(destination.name.quotedIdentifier)", with: "CREATE TABLE \(new)",
                maxReplacements: 1))
        var columns = [("source", "target"), ("target", "source")]
        let ordersTargets = link.isReversed ? source.hasTargetPosition : source.hasSourcePosition
        let ordersSources = link.isReversed ? source.hasSourcePosition : source.hasTargetPosition
        if ordersTargets, destination.hasSourcePosition {
            columns.append(("sourcePosition", "targetPosition"))
        }
        if ordersSources, destination.hasTargetPosition {
            columns.append(("targetPosition", "sourcePosition"))
        }
        let names = columns.map(\.0).joined(separator: ", ")
        let values = columns.map { link.isReversed ? $0.1 : $0.0 }.joined(separator: ", ")
        let old = "main." + source.name.quotedIdentifier
        try database.run("INSERT INTO \(new) (\(names)) SELECT \(values) FROM \(old)")
        if destination.isSymmetric, !source.isSymmetric {
            try database.run(
                "INSERT OR IGNORE INTO \(new) (source, target) SELECT target, source FROM \(old)")
        }
        try database.run("DROP TABLE \(old)")
    }

    /// Gives a copied link table its name, its index and its triggers.
    private func name(_ link: Link, _ number: Int, trackingID: Int64?, in database: Database) throws {
        let destination = link.destination
        try database.run(
            "ALTER TABLE main.\"sc_new_\(number)\" RENAME TO \(destination.name.quotedIdentifier)")
        for statement in StoreSchema.linkTable(destination, of: model).dropFirst() {
            try database.run(statement)
        }
        try ChangeTracking.goOn(
            trackingID: trackingID, as: TrackedTable(destination), in: database)
    }
}
