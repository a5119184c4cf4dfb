import Foundation
import SectionedFetch
import CheckSupport
import Testing

final class Band: ManagedObject {
    @Attribute var name: String = ""
    @Attribute var position: Int64 = 0
    @Relationship var songs: Set<Song>
}

final class Song: ManagedObject {
    @Attribute var genre: String?
    @Attribute var rank: Int32 = 0
    @Attribute var note: Int64 = 0
    @Relationship(inverse: \Band.songs) var band: Band?
}

/// A store of songs with a random history.
struct Jukebox {
    let container: PersistentContainer
    let context: ManagedObjectContext
    private var generator: SeededGenerator
    private var lastNumber: Int64 = 0

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Band.self, Song.self))
        context = container.newContext()
        for _ in 0..<25 { insertBand() }
        for _ in 0..<50 { try insertSong() }
        try context.save()
    }

    private mutating func number() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    private mutating func insertBand() {
        let band = Band(context: context)
        band.position = number()
        band.name = "band \(band.position)"
    }

    private mutating func insertSong() throws {
        let song = Song(context: context)
        song.genre = genre()
        song.rank = .random(in: 0..<100, using: &generator)
        song.note = number()
        song.band = try bands().randomElement(using: &generator)
    }

    private mutating func genre() -> String? {
        // Sections have one or two songs, so that they are inserted and deleted.
        let number = Int.random(in: 0..<40, using: &generator)
        return number == 0 ? nil : "g\(number)"
    }

    private func bands() throws -> [Band] {
        try context.fetch(FetchRequest<Band>(sortDescriptors: [.ascending(\.position)]))
    }

    /// Makes some random changes, and saves them together.
    mutating func change() throws {
        let isLarge = Int.random(in: 0..<10, using: &generator) == 0
        for _ in 0..<Int.random(in: isLarge ? 15..<40 : 1..<6, using: &generator) { try changeOnce() }
        try context.save()
    }

    private mutating func changeOnce() throws {
        let songs = try context.fetch(FetchRequest<Song>(sortDescriptors: [.ascending(\.note)]))
        let bands = try bands()
        guard let song = songs.randomElement(using: &generator),
            let band = bands.randomElement(using: &generator)
        else { return try insertSong() }
        switch Int.random(in: 0..<11, using: &generator) {
        case 0...2: if songs.count < 70 { try insertSong() } else { context.delete(song) }
        case 3...4: context.delete(song)
        case 5: song.rank = .random(in: 0..<100, using: &generator)
        case 6: song.genre = genre()
        case 7: song.band = Int.random(in: 0..<6, using: &generator) == 0 ? nil : band
        case 8: band.name = "renamed \(number())"
        case 9: band.position = number()
        default: break
        }
        if !song.isDeleted { song.note = number() }
    }

    /// Returns a random number below a bound.
    mutating func random(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
}

/// A list of songs, whose sections are computed without a controller.
struct SongList: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let request: FetchRequest<Song>
    let sectionKey: SectionKey?
    let isSameSection: @Sendable (Song, Song) -> Bool
    let title: @Sendable (Song) -> String

    static let all = [
        SongList(
            testDescription: "by genre",
            request: FetchRequest<Song>(sortDescriptors: [.ascending(\.genre), .ascending(\.rank)]),
            sectionKey: "genre", isSameSection: { $0.genre == $1.genre }, title: { $0.genre ?? "" }),
        SongList(
            testDescription: "by band, in an order and with names that change",
            request: FetchRequest<Song>(sortDescriptors: [.ascending("band.position"), .ascending(\.rank)]),
            sectionKey: SectionKey("band", namedBy: "band.name"), isSameSection: { $0.band === $1.band },
            title: { $0.band?.name ?? "" }),
        SongList(
            testDescription: "without sections",
            request: FetchRequest<Song>(sortDescriptors: [.descending(\.rank)]), sectionKey: nil,
            isSameSection: { _, _ in true }, title: { _ in "" }),
    ]

    /// Returns the sections computed from a new fetch.
    func sections(in context: ManagedObjectContext) throws -> [(title: String, songs: [Song])] {
        var sections: [(title: String, songs: [Song])] = sectionKey == nil ? [("", [])] : []
        for song in try context.fetch(request) {
            let isSame =
                sectionKey == nil || sections.last?.songs.last.map { isSameSection($0, song) } ?? false
            if isSame {
                sections[sections.count - 1].songs.append(song)
            } else {
                sections.append((title(song), [song]))
            }
        }
        return sections
    }
}
