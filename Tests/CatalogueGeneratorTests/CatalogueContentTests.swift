import CatalogueGenerator
import Foundation
import Testing

@Suite struct CatalogueContentTests {
    @Test(arguments: [
        (CatalogueOptions.Sections.firstLetters, 1), (.firstLetters, 40), (.firstLetters, 12_345),
        (.shelves(1), 100), (.shelves(7), 100), (.shelves(1_000), 12_345), (.shelves(1_000), 300),
    ])
    func `the announced section counts are exact`(
        sections: CatalogueOptions.Sections, numberOfSongs: Int
    ) throws {
        let generator = CatalogueGenerator(
            try CatalogueOptions(numberOfSongs: numberOfSongs, seed: 11, sections: sections))
        var counted: [String: Int] = [:]
        for song in generator {
            counted[song.section, default: 0] += 1
        }
        let announced = generator.sections
        let wrong = announced.filter { counted[$0.key] != $0.numberOfSongs }
        #expect(wrong.prefix(3).isEmpty)
        #expect(announced.map(\.key) == counted.keys.sorted())
        #expect(announced.reduce(0) { $0 + $1.numberOfSongs } == numberOfSongs)
    }

    @Test func `a large catalogue has 27 letters or the requested number of shelves`() throws {
        let letters = CatalogueGenerator(try CatalogueOptions(numberOfSongs: 10_000_000))
        #expect(letters.sections.map(\.key) == ["#"] + "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map(String.init))
        let shelves = CatalogueGenerator(
            try CatalogueOptions(numberOfSongs: 10_000_000, sections: .shelves(1_000)))
        #expect(shelves.sections.count == 1_000)
        #expect(shelves.sections.first?.key == "0001")
        #expect(shelves.sections.last?.key == "1000")
        #expect(Set(shelves.sections.map(\.numberOfSongs)) == [10_000])
    }

    @Test func `the section is the title's first letter without its accent`() throws {
        let generator = CatalogueGenerator(
            try CatalogueOptions(numberOfSongs: 20_000, seed: 8, accentedTitlesPerThousand: 500))
        for song in generator {
            let first = try #require(song.title.decomposedStringWithCanonicalMapping.unicodeScalars.first)
            let letter = String(first).uppercased()
            let isLatin = "A"..."Z" ~= letter && first.isASCII
            #expect(song.section == (isLatin ? letter : "#"), "\(song.title)")
        }
    }

    @Test(arguments: [(80, 30), (0, 0), (1_000, 900), (333, 17)])
    func `the shares of accented and other titles are exact`(accented: Int, other: Int) throws {
        let generator = CatalogueGenerator(
            try CatalogueOptions(
                numberOfSongs: 10_000, seed: 4, accentedTitlesPerThousand: accented,
                nonLatinTitlesPerThousand: other))
        let latin = generator.filter { $0.section != "#" }
        #expect(latin.count { !$0.title.utf8.allSatisfy { $0 < 0x80 } } == latin.count * accented / 1_000)
        let inOtherScript = generator.count { song in
            song.title.unicodeScalars.allSatisfy { $0 == " " || $0.value >= 0x370 }
        }
        #expect(inOtherScript == 10 * other)
    }

    @Test func `all text is in canonical composition`() throws {
        for song in CatalogueGenerator(try CatalogueOptions(numberOfSongs: 20_000, seed: 9)) {
            for text in [song.title, song.artist, song.album] {
                let composed = text.precomposedStringWithCanonicalMapping
                #expect(Array(composed.utf8) == Array(text.utf8), "\(text)")
            }
        }
    }

    @Test func `keys are unique and every value is in its range`() throws {
        var keys: Set<Int64> = []
        var before: Int64 = 0
        for song in CatalogueGenerator(try CatalogueOptions(numberOfSongs: 50_000, seed: 10)) {
            #expect(keys.insert(song.key).inserted)
            #expect(!song.title.isEmpty && !song.artist.isEmpty && !song.album.isEmpty)
            #expect(1950...2024 ~= song.year)
            #expect(90...448 ~= song.durationInSeconds)
            #expect(song.addedInSecondsSince2001 >= before)
            before = song.addedInSecondsSince2001
        }
        #expect(keys.count == 50_000)
    }

    @Test func `an artist has one genre and at most twelve albums, each of one year`() throws {
        var albums: [String: Set<[String]>] = [:]
        var genres: [String: Set<String>] = [:]
        for song in CatalogueGenerator(try CatalogueOptions(numberOfSongs: 40_000, numberOfArtists: 300)) {
            albums[song.artist, default: []].insert([song.album, String(song.year)])
            genres[song.artist, default: []].insert(song.genre)
        }
        #expect(genres.count == 300)
        #expect(genres.values.allSatisfy { $0.count == 1 })
        #expect(albums.values.allSatisfy { $0.count <= 12 })
    }

    @Test func `few artists have many songs and many have few`() throws {
        var counts: [String: Int] = [:]
        for song in CatalogueGenerator(try CatalogueOptions(numberOfSongs: 100_000, numberOfArtists: 1_000)) {
            counts[song.artist, default: 0] += 1
        }
        let ordered = counts.values.sorted(by: >)
        // 1,000 artists are ten powers of two: the first has a tenth of the songs, the last 489 share a
        // tenth.
        #expect(abs(ordered[0] - 100_000 / 10) < 1_000)
        #expect(ordered.count > 990)
        #expect(ordered[500...].reduce(0, +) < 100_000 / 5)
    }

    @Test(arguments: 1...5)
    func `the text of a date is that of Foundation`(seed: UInt64) throws {
        for song in CatalogueGenerator(try CatalogueOptions(numberOfSongs: 400, seed: seed)) {
            let date = Date(timeIntervalSinceReferenceDate: Double(song.addedInSecondsSince2001))
            #expect(song.addedText == date.formatted(.iso8601))
        }
    }

    @Test func `options out of range name the option and its range`() {
        #expect(throws: CatalogueOptionsError.self) { try CatalogueOptions(numberOfSongs: 10_000_001) }
        #expect(throws: CatalogueOptionsError.self) {
            try CatalogueOptions(numberOfSongs: 1, sections: .shelves(0))
        }
        let error = #expect(throws: CatalogueOptionsError.self) {
            try CatalogueOptions(numberOfSongs: 1, numberOfArtists: 0)
        }
        #expect(
            error?.description == "the catalogue's numberOfArtists is 0; it can be 1 to 98304")
    }

    @Test func `an empty catalogue has no songs and no sections`() throws {
        let generator = CatalogueGenerator(try CatalogueOptions(numberOfSongs: 0))
        #expect(Array(generator).isEmpty)
        #expect(generator.sections.isEmpty)
        #expect(try csv(of: generator) == "key,title,artist,album,year,genre,section,duration,added\r\n")
    }
}
