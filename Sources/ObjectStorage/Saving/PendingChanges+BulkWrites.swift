import GRDB

extension PendingChanges {
    /// Says of tables of which a save writes more rows than are logged that none need be.
    ///
    /// - Returns: Whether there is such a table.
    func announceBulkWrites(in database: Database) throws -> Bool {
        let numberOfLinks = links.reduce(0) { $0 + $1.removed.count + $1.added.count }
        guard inserted.count + updated.count + deleted.count + numberOfLinks > ChangeTracking.smallSize else {
            return false
        }
        var counts: [(tableName: String, rows: Int)] = links.map {
            ($0.table.name, $0.removed.count + $0.added.count)
        }
        for objects in [inserted, updated, deleted] where objects.count > 0 {
            // The objects of one table mostly come one after the other.
            var place = counts.endIndex
            var runtime: EntityRuntime?
            for object in objects {
                if object.runtime !== runtime {
                    runtime = object.runtime
                    let name = object.entity.tableName
                    place = counts.firstIndex { $0.tableName == name } ?? counts.endIndex
                    if place == counts.endIndex { counts.append((name, 0)) }
                }
                counts[place].rows += 1
            }
        }
        var hasAnnounced = false
        for count in counts where count.rows > ChangeTracking.smallSize {
            let room = try ChangeTracking.room(ofTableNamed: count.tableName, in: database)
            guard room > 0, count.rows >= room else { continue }
            try ChangeTracking.beginBulkWrite(to: count.tableName, in: database)
            hasAnnounced = true
        }
        return hasAnnounced
    }
}
