/// A synthetic library of songs, generated one at a time. The same options give the same songs on every
/// machine.
///
/// ```swift
/// let options = try CatalogueOptions(numberOfSongs: 1_000_000, seed: 7, sections: .shelves(1_000))
/// for song in CatalogueGenerator(options) {
///     …
/// }
/// ```
///
/// All arithmetic is on integers, because the C library's logarithms and powers differ between machines. The
/// only source of randomness is ``SplitMix64``. Each song depends only on the options and its position.
package struct CatalogueGenerator: Sequence, Sendable {
    /// The options of the catalogue.
    package let options: CatalogueOptions

    private let plan: TitlePlan
    private let sectionRule: CatalogueSections
    private let composer: TitleComposer
    private let artistNames = ArtistNames()
    private let songSeed: UInt64
    private let albumSeed: UInt64

    /// The genres. The genre of an artist is the artist's number modulo the number of genres.
    private static let genres = [
        "Alternative", "Ambient", "Blues", "Bossa Nova", "Chamber", "Children's", "Classical", "Country",
        "Dance", "Electronic", "Fado", "Film Music", "Folk", "Funk", "Gospel", "Hip-Hop", "Jazz", "Latin",
        "Opera", "Pop", "Reggae", "Rock", "Soul", "World",
    ]
    private static let albumsByArtist = 12
    /// The date when the first song was added, 2004-01-01, in seconds since 2001-01-01.
    private static let firstAddedSecond: Int64 = 1_095 * 86_400
    /// The period in which songs were added: 7,300 days, about twenty years, in seconds.
    private static let growthInSeconds: Int64 = 7_300 * 86_400

    /// Creates a catalogue without generating songs.
    package init(_ options: CatalogueOptions) {
        let vocabulary = Vocabulary()
        self.options = options
        plan = TitlePlan(options)
        sectionRule = CatalogueSections(options, plan: plan, vocabulary: vocabulary)
        composer = TitleComposer(vocabulary: vocabulary)
        songSeed = SplitMix64.mixed(options.seed ^ Stream.songs)
        albumSeed = SplitMix64.mixed(options.seed ^ Stream.albums)
    }

    /// The non-empty sections with their exact numbers of songs, ordered by the UTF-8 bytes of their keys.
    ///
    /// - Complexity: O(sections). No song is generated.
    package var sections: [CatalogueSection] {
        sectionRule.all
    }

    /// Returns the song at `position`.
    ///
    /// - Parameter position: A position in `0..<options.numberOfSongs`.
    /// - Complexity: O(1) on average.
    package func song(at position: Int) -> Song {
        precondition(
            position >= 0 && position < options.numberOfSongs,
            "position \(position) is not in 0..<\(options.numberOfSongs)")
        var generator = SplitMix64(seed: SplitMix64.mixed(songSeed &+ UInt64(position)))
        let kind = plan.kind(ofSongAt: position)
        let title = composer.title(of: kind, using: &generator)
        let artist = artist(using: &generator)
        // The smaller of two random numbers: earlier albums have more songs than later ones.
        let album = Swift.min(
            generator.next(below: Self.albumsByArtist), generator.next(below: Self.albumsByArtist))
        var albumGenerator = SplitMix64(
            seed: SplitMix64.mixed(albumSeed &+ UInt64(artist * Self.albumsByArtist + album)))
        // The larger of two random numbers: more albums are recent than old.
        let year = 1950 + Swift.max(albumGenerator.next(below: 75), albumGenerator.next(below: 75))
        let duration = 90 + generator.next(below: 180) + generator.next(below: 180)
        let added =
            Self.firstAddedSecond
            + Int64(position) * Self.growthInSeconds / Int64(options.numberOfSongs)
        return Song(
            key: Int64(position) + 1,
            title: title,
            artist: artistNames.name(of: artist),
            album: composer.albumTitle(using: &albumGenerator),
            year: year,
            genre: Self.genres[artist % Self.genres.count],
            section: sectionRule.key(ofSongAt: position, kind: kind),
            durationInSeconds: duration,
            addedInSecondsSince2001: added)
    }

    /// Chooses an artist so that the artist of rank *k* has about 1/*k* as many songs as the first.
    ///
    /// Picks a power of two, then a uniform rank between that power and the next. This is Zipf's law to
    /// within a factor of two, and needs no logarithm.
    private func artist(using generator: inout SplitMix64) -> Int {
        let octaves = Int.bitWidth - options.numberOfArtists.leadingZeroBitCount
        while true {
            let first = 1 << generator.next(below: octaves)
            let rank = first + generator.next(below: first)
            if rank <= options.numberOfArtists {
                return rank - 1
            }
        }
    }
}

extension CatalogueGenerator {
    /// An iterator over the songs from the first to the last.
    package struct Iterator: IteratorProtocol, Sendable {
        private let generator: CatalogueGenerator
        private var position = 0

        init(_ generator: CatalogueGenerator) {
            self.generator = generator
        }

        /// Returns the next song, or nil after the last.
        package mutating func next() -> Song? {
            guard position < generator.options.numberOfSongs else { return nil }
            defer { position += 1 }
            return generator.song(at: position)
        }
    }

    /// Returns an iterator that starts at the first song.
    package func makeIterator() -> Iterator {
        Iterator(self)
    }

    /// The number of songs.
    package var underestimatedCount: Int {
        options.numberOfSongs
    }
}
