import BenchmarkSupport
import Foundation
import GRDB

/// Reads the same rows through GRDB, decoded into structures.
enum RecordSample {
    static func run(store: String) throws {
        let queue = try DatabaseQueue(path: store)
        let watch = Stopwatch()
        let tracks = try queue.read { try TrackRecord.fetchAll($0, sql: TrackRecord.selection) }
        var sum = 0
        for track in tracks { sum += track.title.utf8.count + Int(track.year) + Int(track.duration) }
        ObjectSample.report(watch.elapsed, rows: tracks.count, sum: sum)
    }
}

/// A track as a record that is decoded by column position, the fastest way of GRDB, which is several times
/// faster than `Codable`.
private struct TrackRecord: FetchableRecord {
    let objectID: Int64
    let key: Int64
    let title: String
    let artist: String
    let album: String
    let year: Int32
    let genre: String
    let section: String
    let duration: Int32
    let added: Double

    static let selection =
        "SELECT objectID, key, title, artist, album, year, genre, section, duration, added FROM Track"

    init(row: Row) {
        objectID = row[0]
        key = row[1]
        title = row[2]
        artist = row[3]
        album = row[4]
        year = row[5]
        genre = row[6]
        section = row[7]
        duration = row[8]
        added = row[9]
    }
}
