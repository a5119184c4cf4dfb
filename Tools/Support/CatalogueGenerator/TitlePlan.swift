/// Decides what kind of title each song gets, in exact numbers.
///
/// Songs are numbered in a random order, and the numbers `0..<numberOfSongs` are cut into runs: one for each
/// letter, then the titles in other scripts, then those that begin with a digit. A song's kind is the run
/// that its number falls into, so the size of each run is known without making a song.
struct TitlePlan: Hashable, Sendable {
    /// What a title begins with.
    enum Kind: Hashable, Sendable {
        /// A letter of the Latin alphabet (0 is A), with or without an accented letter in the title.
        case letter(Int, isAccented: Bool)
        case otherScript
        case digit
    }

    /// For each letter, the songs of a thousand that begin with it, once digits and other scripts are set
    /// aside. Chosen by hand after what one sees in lists of English songs; no statistic stands behind it.
    private static let letterWeights = [
        56, 62, 60, 48, 30, 44, 40, 54, 44, 16, 20, 58, 62, 34, 28, 46, 8, 46, 96, 64, 16, 14, 42, 2, 8, 2,
    ]

    private let accentedPerThousand: Int
    private let order: IndexPermutation
    /// Where each letter's run begins, and after the last the end of the letters.
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

    /// The kind of title of the song at `position`.
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
        // Spreads the accented titles evenly over the numbers, and so over the letters.
        let isAccented =
            (number + 1) * accentedPerThousand / 1_000 > number * accentedPerThousand / 1_000
        return .letter(letter, isAccented: isAccented)
    }

    /// How many titles begin with each letter, A first.
    var numberOfTitlesByLetter: [Int] {
        Self.letterWeights.indices.map { letterBounds[$0 + 1] - letterBounds[$0] }
    }

    /// How many titles begin with something that is not a Latin letter.
    var numberOfOtherTitles: Int {
        order.count - letterBounds[Self.letterWeights.count]
    }
}

/// Numbers that keep the random streams of one seed apart. Arbitrary, and fixed for ever.
enum Stream {
    static let titlePlan: UInt64 = 0x7469_746C_6500_0001
    static let shelves: UInt64 = 0x7368_656C_6600_0002
    static let songs: UInt64 = 0x736F_6E67_7300_0003
    static let albums: UInt64 = 0x616C_6275_6D00_0004
}
