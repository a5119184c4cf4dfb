/// What a generated catalogue looks like. Equal options give the same songs, byte for byte, on every machine.
package struct CatalogueOptions: Hashable, Sendable {
    /// How the songs are divided into sections.
    package enum Sections: Hashable, Sendable {
        /// The first letter of the title without its accent, A to Z, and "#" for everything else: 27
        /// sections.
        case firstLetters

        /// This many numbered shelves of equal size (the sizes differ by at most one song), unrelated to the
        /// title. Keys are numbers with leading zeros, so that text order is number order.
        case shelves(Int)
    }

    /// How many songs, 0 to ``maximumNumberOfSongs``.
    package let numberOfSongs: Int
    /// Chooses one catalogue among many alike.
    package let seed: UInt64
    /// How the songs are divided into sections.
    package let sections: Sections
    /// How many artists there may be, 1 to ``maximumNumberOfArtists``. A small catalogue does not use them
    /// all.
    package let numberOfArtists: Int
    /// Of a thousand titles that begin with a Latin letter, how many hold an accented one.
    package let accentedTitlesPerThousand: Int
    /// Of a thousand titles, how many are in another script than the Latin one.
    package let nonLatinTitlesPerThousand: Int

    /// The largest catalogue: ten million songs.
    package static let maximumNumberOfSongs = 10_000_000
    /// The largest number of artists: the number of different names that the generator knows to make.
    package static let maximumNumberOfArtists = ArtistNames.count
    /// The largest number of shelves.
    package static let maximumNumberOfShelves = 1_000_000
    /// Of a thousand titles, how many begin with a digit or an ellipsis.
    package static let digitTitlesPerThousand = 20

    /// Creates options, and checks them.
    ///
    /// - Parameters:
    ///   - numberOfSongs: 0 to ``maximumNumberOfSongs``.
    ///   - seed: Any number.
    ///   - sections: First letters, or 1 to ``maximumNumberOfShelves`` shelves.
    ///   - numberOfArtists: 1 to ``maximumNumberOfArtists``.
    ///   - accentedTitlesPerThousand: 0 to 1,000, of the titles that begin with a Latin letter.
    ///   - nonLatinTitlesPerThousand: 0 to 900, of all titles.
    /// - Throws: ``CatalogueOptionsError`` that names the option, its value and the values that are allowed.
    package init(
        numberOfSongs: Int,
        seed: UInt64 = 1,
        sections: Sections = .firstLetters,
        numberOfArtists: Int = 20_000,
        accentedTitlesPerThousand: Int = 80,
        nonLatinTitlesPerThousand: Int = 30
    ) throws(CatalogueOptionsError) {
        try Self.check("numberOfSongs", numberOfSongs, 0...Self.maximumNumberOfSongs)
        try Self.check("numberOfArtists", numberOfArtists, 1...Self.maximumNumberOfArtists)
        try Self.check("accentedTitlesPerThousand", accentedTitlesPerThousand, 0...1_000)
        try Self.check("nonLatinTitlesPerThousand", nonLatinTitlesPerThousand, 0...900)
        if case .shelves(let number) = sections {
            try Self.check("sections.shelves", number, 1...Self.maximumNumberOfShelves)
        }
        self.numberOfSongs = numberOfSongs
        self.seed = seed
        self.sections = sections
        self.numberOfArtists = numberOfArtists
        self.accentedTitlesPerThousand = accentedTitlesPerThousand
        self.nonLatinTitlesPerThousand = nonLatinTitlesPerThousand
    }

    private static func check(
        _ option: String, _ value: Int, _ allowed: ClosedRange<Int>
    ) throws(CatalogueOptionsError) {
        guard allowed.contains(value) else {
            throw CatalogueOptionsError(option: option, value: value, allowed: allowed)
        }
    }
}

/// An option of a catalogue that is out of its range.
package struct CatalogueOptionsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The option's name in ``CatalogueOptions``.
    package let option: String
    /// The value that was given.
    package let value: Int
    /// The values that are possible.
    package let allowed: ClosedRange<Int>

    /// One sentence for people.
    package var description: String {
        "the catalogue's \(option) is \(value); it can be \(allowed.lowerBound) to \(allowed.upperBound)"
    }
}
