import Foundation
import GRDB

/// What a developer would otherwise write.
enum Alternative: String {
    /// Only twenty rows by their keys, through GRDB.
    case twentyRows
    /// `GROUP BY` over a covering index, and the first page.
    case groupBy
    /// All keys and sections in order, through SQLite's sorter.
    case sorter
    /// The same of songs since 2000, with the sorter forced, because SQLite's own plan is worse.
    case filteredSorter
    /// All records through GRDB, grouped in Swift.
    case records

    func run(store: String) throws {
        let start = nanoseconds()
        var configuration = Configuration()
        configuration.readonly = false
        let queue = try DatabaseQueue(path: store, configuration: configuration)
        let found = try queue.read { database in try self.answer(in: database) }
        report(nanoseconds() - start, found)
    }

    private func answer(in database: Database) throws -> Answer {
        switch self {
        case .twentyRows:
            let rows = try Row.fetchAll(
                database,
                sql:
                    "SELECT * FROM Song WHERE objectID IN (\((1...20).map(String.init).joined(separator: ",")))"
            )
            return Answer(firstTitles: rows.map { $0["title"] })
        case .groupBy:
            let groups = try Row.fetchAll(
                database, sql: "SELECT section, count(*) FROM Song GROUP BY section ORDER BY section")
            let page = try Row.fetchAll(
                database, sql: "SELECT * FROM Song ORDER BY section, title, objectID LIMIT 20")
            return Answer(sections: groups.map { ($0[0], $0[1]) }, firstTitles: page.map { $0["title"] })
        case .sorter:
            return try scan(
                database, "SELECT objectID, section FROM Song NOT INDEXED ORDER BY section, title, objectID")
        case .filteredSorter:
            return try scan(
                database,
                "SELECT objectID, section FROM Song NOT INDEXED WHERE year >= 2000 ORDER BY section, title, objectID"
            )
        case .records: return try records(in: database)
        }
    }

    private func scan(_ database: Database, _ sql: String) throws -> Answer {
        var answer = Answer()
        var keys: [Int64] = []
        let rows = try Row.fetchCursor(database, sql: sql)
        var previous: String?
        while let row = try rows.next() {
            keys.append(row[0])
            let section: String = row[1]
            if section != previous {
                answer.sections.append((section, 0))
                previous = section
            }
            answer.sections[answer.sections.count - 1].count += 1
        }
        for key in keys.prefix(20) {
            answer.firstTitles += try String.fetchAll(
                database, sql: "SELECT title FROM Song WHERE objectID = ?", arguments: [key])
        }
        return answer
    }

    private struct SongRecord: Codable, FetchableRecord {
        let objectID: Int64
        let title: String
        let section: String
        let year: Int32
        let genre: String
        let duration: Int32
        let artist: Int64?
    }

    private func records(in database: Database) throws -> Answer {
        let songs = try SongRecord.fetchAll(
            database, sql: "SELECT * FROM Song ORDER BY section, title, objectID")
        let groups = Dictionary(grouping: songs, by: \.section)
        let names = groups.keys.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        return Answer(
            sections: names.map { ($0, groups[$0]?.count ?? 0) }, firstTitles: songs.prefix(20).map(\.title))
    }
}
