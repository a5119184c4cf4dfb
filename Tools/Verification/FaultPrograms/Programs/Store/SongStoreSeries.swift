import Foundation
import CheckSupport

/// A store that is made anew after so many trials, with tables of ours and with an owner's in turn.
struct SongStoreSeries {
    let trialsPerStore: Int
    /// How many songs each store has to begin with.
    let songs: Int
    /// The store of the last trial; another may take its place.
    var current: SongStore?

    init(trialsPerStore: Int, songs: Int = 40) {
        self.trialsPerStore = trialsPerStore
        self.songs = songs
    }

    /// The store of a trial, and whether it was made for it.
    mutating func store(
        ofTrial trial: Int, in folder: URL, using generator: inout SeededGenerator
    ) throws -> (store: SongStore, isNew: Bool) {
        if let current, trial % trialsPerStore != 0 { return (current, false) }
        let store = try SongStore.make(
            trial / trialsPerStore % 2 == 0 ? .ours : .owners, in: folder, songs: songs, using: &generator)
        current = store
        return (store, true)
    }
}
