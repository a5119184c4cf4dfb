/// A table of the music library that iTunes and Apple Music write as a property list.
enum MusicLibraryTable: String, CaseIterable {
    case track = "Track"
    case playlist = "Playlist"
    /// The entries of playlists, in their order.
    case playlistItem = "PlaylistItem"

    /// The field of playlist items that identifies them: the playlist's identifier and the position.
    static let itemID = "Item ID"
}
