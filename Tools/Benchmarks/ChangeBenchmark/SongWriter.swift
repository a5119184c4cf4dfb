import Foundation
import SectionedFetch

/// A way to make changes. Preparation is not measured, only the commit.
protocol SongWriter: AnyObject {
    func prepare(_ change: SongChange) throws
    func commit() throws
}

/// Changes objects of a context and saves it.
final class ContextWriter: SongWriter {
    let context: ManagedObjectContext
    private var change: SongChange?
    private var inserted: [Song] = []

    init(_ container: PersistentContainer) { context = container.newContext() }

    func prepare(_ change: SongChange) throws {
        self.change = change
        switch change.kind {
        case .update: for song in try songs(change.keys) { song.plays = change.plays }
        case .move:
            for (song, title) in zip(try songs(change.keys), change.titles) {
                song.title = title
                song.section = SongChange.section(of: title)
            }
        case .insertion:
            for title in change.titles {
                let song = Song(context: context)
                song.title = title
                song.section = SongChange.section(of: title)
                song.artist = "Unknown Artist"
                song.year = 2_000
                song.plays = change.plays
                song.shelf = SongChange.noShelf
                inserted.append(song)
            }
        case .deletion:
            for _ in change.keys { context.delete(inserted.removeLast()) }
        case .batchUpdate: break
        }
    }

    func commit() throws {
        guard let change, change.kind == .batchUpdate else {
            try context.save()
            return
        }
        let request = FetchRequest<Song>(predicate: \.shelf == change.shelf)
        try context.batchUpdate(request, set: [.set(\.plays, to: change.plays)])
    }

    private func songs(_ keys: [Int64]) throws -> [Song] {
        try keys.map { key in
            let object = try context.existingObject(with: ObjectID(entityName: "Song", primaryKey: key))
            guard let song = object as? Song else { throw SampleError("row \(key) is no song") }
            return song
        }
    }
}

/// The bare commit: prepared statements of SQLite in one transaction.
final class PlainWriter: SongWriter {
    private let connection: SQLiteConnection
    private let begin, commitment, update, move, insertion, deletion, batchUpdate: SQLiteConnection.Statement
    private var change: SongChange?
    private var insertedKeys: [Int64] = []
    private var deletedKeys: [Int64] = []

    init(path: String) throws {
        let connection = try SQLiteConnection(path: path)
        self.connection = connection
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commitment = try connection.prepare("COMMIT")
        update = try connection.prepare("UPDATE Song SET plays = ?1 WHERE objectID = ?2")
        move = try connection.prepare("UPDATE Song SET title = ?1, section = ?2 WHERE objectID = ?3")
        insertion = try connection.prepare(
            "INSERT INTO Song (title, section, artist, year, plays, shelf) VALUES (?1, ?2, 'Unknown Artist', 2000, ?3, ?4)"
        )
        deletion = try connection.prepare("DELETE FROM Song WHERE objectID = ?1")
        batchUpdate = try connection.prepare("UPDATE Song SET plays = ?1 WHERE shelf = ?2")
    }

    func prepare(_ change: SongChange) {
        self.change = change
        guard change.kind == .deletion else { return }
        deletedKeys = Array(insertedKeys.suffix(change.keys.count).reversed())
        insertedKeys.removeLast(change.keys.count)
    }

    func commit() throws {
        guard let change else { return }
        try begin.run()
        switch change.kind {
        case .update:
            update.bind(Int64(change.plays), at: 1)
            for key in change.keys {
                update.bind(key, at: 2)
                try update.run()
            }
        case .move:
            for (key, title) in zip(change.keys, change.titles) {
                move.bind(title, at: 1)
                move.bind(SongChange.section(of: title), at: 2)
                move.bind(key, at: 3)
                try move.run()
            }
        case .insertion:
            insertion.bind(Int64(change.plays), at: 3)
            insertion.bind(Int64(SongChange.noShelf), at: 4)
            for title in change.titles {
                insertion.bind(title, at: 1)
                insertion.bind(SongChange.section(of: title), at: 2)
                try insertion.run()
                insertedKeys.append(connection.lastInsertedKey)
            }
        case .deletion:
            for key in deletedKeys {
                deletion.bind(key, at: 1)
                try deletion.run()
            }
        case .batchUpdate:
            batchUpdate.bind(Int64(change.plays), at: 1)
            batchUpdate.bind(Int64(change.shelf), at: 2)
            try batchUpdate.run()
        }
        try commitment.run()
    }
}
