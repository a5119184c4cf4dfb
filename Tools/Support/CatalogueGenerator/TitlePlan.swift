/// A plan that assigns a kind of title to each song, in exact numbers.
///
/// Songs are numbered in a random order, and the numbers `0..<numberOfSongs` are cut into runs: one for each
/// letter, then the titles in other scripts, then those that begin with a digit. A song's kind is the run
/// that contains its number, so the size of each run is known without generating a song.
struct TitlePlan: Hashable, Sendable {
    /// The kind of a title, by its beginning.
    enum Kind: Hashable, Sendable {
        /// A letter of the Latin alphabet (0 is A), with or without an accented letter in the title.
        case letter(Int, isAccented: Bool)
        case otherScript
        case digit
    }

    /// The number of titles that begin with each letter, per thousand titles of all letters. Chosen by hand
    /// to resemble lists of English songs, without a statistical source.
    private static let letterWeights = [
        56, 62, 60, 48, 30, 44, 40, 54, 44, 16, 20, 58, 62, 34, 28, 46, 8, 46, 96, 64, 16, 14, 42, 2, 8, 2,
    ]

    private let accentedPerThousand: Int
    private let order: IndexPermutation
    /// The start of each letter's run, followed by the end of the last run.
    private let letterBounds: [Int]
    private let otherScriptEnd: Int

    init(_ options: CatalogueOptions) {
        accentedPerThousand = options.accentedTitlesPerThousand
        order = IndexPermutation(
            count: options.numberOfSongs, seed: SplitMix64.mixed(options.seed ^ Stream.titlePlan))
        let number = options.numberOfSongs
        let otherScripts = number * options.nonLatinTitlesPerThousand / 1_000
        let digits = number * CatalogueOptions.digitTitlesPerThousand / 1_000
        let letters = number - otherScripts - digits
        var bounds = [0]
        var weight = 0
        for letterWeight in Self.letterWeights {
            weight += letterWeight
            bounds.append(letters * weight / 1_000)
        }
        precondition(weight == 1_000, "the letter weights add up to \(weight), not 1,000")
        letterBounds = bounds
        otherScriptEnd = letters + otherScripts
    }

    /// Returns the kind of title of the song at `position`.
    ///
    /// - Complexity: O(1) on average.
    func kind(ofSongAt position: Int) -> Kind {
        let number = order[position]
        guard number < letterBounds[Self.letterWeights.count] else {
            return number < otherScriptEnd ? .otherScript : .digit
        }
        var letter = 0
        while number >= letterBounds[letter + 1] {
            letter += 1
        }
        // Spreads the accented titles evenly over the numbers and thereby over the letters.
        let isAccented =
            (number + 1) * accentedPerThousand / 1_000 > number * accentedPerThousand / 1_000
        return .letter(letter, isAccented: isAccented)
    }

    /// The number of titles that begin with each letter, A first.
    var numberOfTitlesByLetter: [Int] {
        Self.letterWeights.indices.map { letterBounds[$0 + 1] - letterBounds[$0] }
    }

    /// The number of titles that do not begin with a Latin letter.
    var numberOfOtherTitles: Int {
        order.count - letterBounds[Self.letterWeights.count]
    }
}

/// Numbers that separate the random streams of one seed. They are arbitrary and must not change.
enum Stream {
    static let titlePlan: UInt64 = 0x7469_746C_6500_0001
    static let shelves: UInt64 = 0x7368_656C_6600_0002
    static let songs: UInt64 = 0x736F_6E67_7300_0003
    static let albums: UInt64 = 0x616C_6275_6D00_0004
}
