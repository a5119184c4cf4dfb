import BenchmarkSupport
import Foundation
import GRDB

/// The ways that use GRDB.
enum RecordSample {
    /// Reads twenty rows by their keys and nothing else, which is the least cost of a program with GRDB.
    static func twentyRows(store: String) throws {
        var watch = Stopwatch()
        let queue = try DatabaseQueue(path: store)
        watch.step("open the store")
        var answer = Answer()
        try queue.read { database in
            let keys = (1...20).map(String.init).joined(separator: ",")
            let rows = try Row.fetchAll(database, sql: "SELECT * FROM Song WHERE objectID IN (\(keys))")
            for row in rows {
                answer.firstTitles.append(row["title"])
                answer.yearsRead += row["year"]
            }
        }
        watch.step("read 20 rows")
        answer.report(nanoseconds: watch.elapsed, watch: watch)
    }

    /// Reads all records, and groups them in a dictionary.
    static func records(store: String) throws {
        var watch = Stopwatch()
        let queue = try DatabaseQueue(path: store)
        watch.step("open the store")
        let songs = try queue.read { database in
            try SongRecord.fetchAll(
                database, sql: "\(SongRecord.selection) ORDER BY section, title, objectID")
        }
        watch.step("fetch")
        var answer = Answer()
        let groups = Dictionary(grouping: songs, by: \.section)
        // SQLite's binary order compares the bytes of texts.
        for name in groups.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            answer.sections.append((name, groups[name]?.count ?? 0))
        }
        for song in songs.prefix(20) {
            answer.firstTitles.append(song.title)
            answer.yearsRead += song.year
        }
        watch.step("group")
        answer.report(nanoseconds: watch.elapsed, watch: watch)
    }

    /// Reads all records in the order of a localized collation, with sections by the titles' first letters.
    static func localizedRecords(store: String) throws {
        var watch = Stopwatch()
        let queue = try DatabaseQueue(path: store)
        watch.step("open the store")
        let songs = try queue.read { database in
            let collation = DatabaseCollation.localizedStandardCompare.name
            return try SongRecord.fetchAll(
                database, sql: "\(SongRecord.selection) ORDER BY title COLLATE \(collation), objectID")
        }
        watch.step("fetch")
        var answer = Answer()
        let groups = Dictionary(grouping: songs) { $0.title.prefix(1).uppercased() }
        for (name, songs) in groups.sorted(by: { $0.key < $1.key }) {
            answer.sections.append((name, songs.count))
        }
        for song in songs.prefix(20) {
            answer.firstTitles.append(song.title)
            answer.yearsRead += song.year
        }
        watch.step("group")
        answer.report(nanoseconds: watch.elapsed, watch: watch)
    }
}

/// A song as a record that is decoded by column position, the fastest way of GRDB, which is several times
/// faster than `Codable`.
private struct SongRecord: FetchableRecord {
    let objectID: Int64
    let title: String
    let section: String
    let year: Int
    let genre: String
    let duration: Int

    static let selection = "SELECT objectID, title, section, year, genre, duration FROM Song"

    init(row: Row) {
        objectID = row[0]
        title = row[1]
        section = row[2]
        year = row[3]
        genre = row[4]
        duration = row[5]
    }
}
