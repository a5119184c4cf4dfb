import Foundation
import CheckSupport

/// A series of stores, each for a number of trials, by turns with tables of the library and with existing
/// tables.
struct SongStoreSeries {
    let trialsPerStore: Int
    /// The number of songs in a new store.
    let songs: Int
    /// The store of the last trial, which a program may replace.
    var current: SongStore?

    init(trialsPerStore: Int, songs: Int = 40) {
        self.trialsPerStore = trialsPerStore
        self.songs = songs
    }

    /// Returns the store of a trial, and whether it is new.
    mutating func store(
        ofTrial trial: Int, in folder: URL, using generator: inout SeededGenerator
    ) throws -> (store: SongStore, isNew: Bool) {
        if let current, trial % trialsPerStore != 0 { return (current, false) }
        let store = try SongStore.make(
            trial / trialsPerStore % 2 == 0 ? .ours : .existing, in: folder, songs: songs, using: &generator)
        current = store
        return (store, true)
    }
}
