/// A section of a generated catalogue: its key and the exact number of its songs.
package struct CatalogueSection: Hashable, Sendable {
    /// The value of ``Song/section`` of its songs.
    package let key: String
    /// The number of songs with that key, 1 or more.
    package let numberOfSongs: Int
}

/// The rule that assigns a section to each song.
struct CatalogueSections: Sendable {
    private let numberOfSongs: Int
    private let plan: TitlePlan
    private let letters: [String]
    private let shelves: Shelves?

    private struct Shelves: Sendable {
        let number: Int
        let digits: Int
        let order: IndexPermutation

        func key(_ shelf: Int) -> String {
            var bytes: [UInt8] = []
            bytes.append(digitsOf: shelf + 1, width: digits)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The key of titles that do not begin with a Latin letter.
    static let otherKey = "#"

    init(_ options: CatalogueOptions, plan: TitlePlan, vocabulary: Vocabulary) {
        numberOfSongs = options.numberOfSongs
        self.plan = plan
        letters = vocabulary.letters
        guard case .shelves(let number) = options.sections else {
            shelves = nil
            return
        }
        var digits = 1
        var limit = 10
        while number >= limit {
            digits += 1
            limit *= 10
        }
        shelves = Shelves(
            number: number, digits: digits,
            order: IndexPermutation(
                count: options.numberOfSongs, seed: SplitMix64.mixed(options.seed ^ Stream.shelves)))
    }

    /// Returns the key of the section of the song at `position`, whose title is of `kind`.
    func key(ofSongAt position: Int, kind: TitlePlan.Kind) -> String {
        if let shelves {
            return shelves.key(shelves.order[position] * shelves.number / numberOfSongs)
        }
        if case .letter(let letter, _) = kind {
            return letters[letter]
        }
        return Self.otherKey
    }

    /// The non-empty sections, ordered by the UTF-8 bytes of their keys.
    var all: [CatalogueSection] {
        var sections: [CatalogueSection] = []
        if let shelves {
            for shelf in 0..<shelves.number {
                // The songs whose number times `shelves.number` over `numberOfSongs` is `shelf`.
                let first = (shelf * numberOfSongs + shelves.number - 1) / shelves.number
                let end = ((shelf + 1) * numberOfSongs + shelves.number - 1) / shelves.number
                sections.append(CatalogueSection(key: shelves.key(shelf), numberOfSongs: end - first))
            }
        } else {
            sections.append(
                CatalogueSection(key: Self.otherKey, numberOfSongs: plan.numberOfOtherTitles))
            for (letter, number) in zip(letters, plan.numberOfTitlesByLetter) {
                sections.append(CatalogueSection(key: letter, numberOfSongs: number))
            }
        }
        return sections.filter { $0.numberOfSongs > 0 }
    }
}
