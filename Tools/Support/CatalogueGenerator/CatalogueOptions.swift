/// The options of a generated catalogue. Equal options give the same songs, byte for byte, on every machine.
package struct CatalogueOptions: Hashable, Sendable {
    /// The division of the songs into sections.
    package enum Sections: Hashable, Sendable {
        /// The first letter of the title without its accent, A to Z, and "#" for everything else: 27
        /// sections.
        case firstLetters

        /// A number of numbered shelves of equal size (the sizes differ by at most one song), unrelated to
        /// the title. Keys are numbers with leading zeros, so that text order is number order.
        case shelves(Int)
    }

    /// The number of songs, 0 to ``maximumNumberOfSongs``.
    package let numberOfSongs: Int
    /// The seed of the random numbers, which selects one of many similar catalogues.
    package let seed: UInt64
    /// The division of the songs into sections.
    package let sections: Sections
    /// The number of artists to choose from, 1 to ``maximumNumberOfArtists``. A small catalogue does not use
    /// all of them.
    package let numberOfArtists: Int
    /// The number of titles with an accented letter, per thousand titles that begin with a Latin letter.
    package let accentedTitlesPerThousand: Int
    /// The number of titles in a script other than Latin, per thousand titles.
    package let nonLatinTitlesPerThousand: Int

    /// The largest number of songs: ten million.
    package static let maximumNumberOfSongs = 10_000_000
    /// The largest number of artists: the number of different names that the generator can produce.
    package static let maximumNumberOfArtists = ArtistNames.count
    /// The largest number of shelves.
    package static let maximumNumberOfShelves = 1_000_000
    /// The number of titles that begin with a digit or an ellipsis, per thousand titles.
    package static let digitTitlesPerThousand = 20

    /// Creates options and checks their ranges.
    ///
    /// - Parameters:
    ///   - numberOfSongs: 0 to ``maximumNumberOfSongs``.
    ///   - seed: Any number.
    ///   - sections: First letters, or 1 to ``maximumNumberOfShelves`` shelves.
    ///   - numberOfArtists: 1 to ``maximumNumberOfArtists``.
    ///   - accentedTitlesPerThousand: 0 to 1,000, of the titles that begin with a Latin letter.
    ///   - nonLatinTitlesPerThousand: 0 to 900, of all titles.
    /// - Throws: ``CatalogueOptionsError`` that names the option, its value and the allowed values.
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
    /// The invalid value.
    package let value: Int
    /// The allowed values.
    package let allowed: ClosedRange<Int>

    /// A sentence that describes the error.
    package var description: String {
        "the catalogue's \(option) is \(value); it can be \(allowed.lowerBound) to \(allowed.upperBound)"
    }
}
