import GRDB

extension PendingChanges {
    /// Marks the tables of which the save writes more rows than the change log records, so that their rows
    /// are not logged.
    ///
    /// - Returns: Whether a table was marked.
    func announceBulkWrites(in database: Database) throws -> Bool {
        let numberOfLinks = links.reduce(0) { $0 + $1.removed.count + $1.added.count }
        guard inserted.count + updated.count + deleted.count + numberOfLinks > ChangeTracking.smallSize else {
            return false
        }
        var counts: [(tableName: String, rows: Int)] = links.map {
            ($0.table.name, $0.removed.count + $0.added.count)
        }
        for objects in [inserted, updated, deleted] where objects.count > 0 {
            // Objects of one table are mostly adjacent.
            var index = counts.endIndex
            var runtime: EntityRuntime?
            for object in objects {
                if object.runtime !== runtime {
                    runtime = object.runtime
                    let name = object.entity.tableName
                    index = counts.firstIndex { $0.tableName == name } ?? counts.endIndex
                    if index == counts.endIndex { counts.append((name, 0)) }
                }
                counts[index].rows += 1
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
