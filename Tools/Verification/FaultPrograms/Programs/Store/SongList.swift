import Foundation
import SectionedFetch

/// The requests of the programs about stores, each with a separate cache.
///
/// Each exists twice: as a request to the library, and in plain Swift for the oracle.
enum SongList: Int, CaseIterable {
    case byGenre, byGenreDown, byTitleDown, bySinger, rockByYear, someByGenre, mineByGenre, byRelease

    /// A time zone that was nine hours ahead of UTC at the dates of all songs.
    static let timeZone = "Asia/Tokyo"

    var cacheName: CacheName {
        get throws { try CacheName("list \(rawValue)") }
    }

    // MARK: For the library

    var request: FetchRequest<ManagedObject> {
        get throws {
            var request = FetchRequest<ManagedObject>(entityName: "Song")
            switch self {
            case .byGenre: request.sortDescriptors = [.ascending("genre"), .ascending("title")]
            case .byGenreDown: request.sortDescriptors = [.descending("genre")]
            case .byTitleDown: request.sortDescriptors = [.descending("title")]
            case .bySinger: request.sortDescriptors = [.ascending("singer.name"), .ascending("year")]
            case .rockByYear:
                request.predicate = try .init(format: "genre == 'rock'")
                request.sortDescriptors = [.descending("year")]
            case .someByGenre:
                request.sortDescriptors = [.ascending("genre"), .ascending("title")]
                request.fetchLimit = 10
                request.fetchOffset = 3
            case .mineByGenre:
                request.predicate = try .init(format: "ANY lists.name == 'mine'")
                request.sortDescriptors = [.ascending("genre"), .descending("year")]
            case .byRelease: request.sortDescriptors = [.ascending("released")]
            }
            return request
        }
    }

    var sectionKey: SectionKey? {
        switch self {
        case .byGenre, .byGenreDown, .someByGenre, .mineByGenre: "genre"
        case .byTitleDown: nil
        case .bySinger: "singer.name"
        case .rockByYear: "year"
        case .byRelease: TimeZone(identifier: Self.timeZone).map { .year(of: "released", in: $0) }
        }
    }

    // MARK: For the oracle

    func finds(_ row: SongRow) -> Bool {
        switch self {
        case .rockByYear: row.genre == .text(Array("rock".utf8))
        case .mineByGenre: row.isMine
        default: true
        }
    }

    /// Returns the values by which a row is sorted, and whether the order is ascending.
    func order(_ row: SongRow) -> [(value: PlainValue, isAscending: Bool)] {
        switch self {
        case .byGenre, .someByGenre: [(row.genre, true), (row.title, true)]
        case .byGenreDown: [(row.genre, false)]
        case .byTitleDown: [(row.title, false)]
        case .bySinger: [(row.singerName, true), (row.year, true)]
        case .rockByYear: [(row.year, false)]
        case .mineByGenre: [(row.genre, true), (row.year, false)]
        case .byRelease: [(row.released, true)]
        }
    }

    /// Returns the value by which a row is grouped.
    func group(_ row: SongRow) -> PlainValue? {
        switch self {
        case .byGenre, .byGenreDown, .someByGenre, .mineByGenre: row.genre
        case .byTitleDown: nil
        case .bySinger: row.singerName
        case .rockByYear: row.year
        case .byRelease: row.yearOfRelease
        }
    }

    var window: (offset: Int, limit: Int)? { self == .someByGenre ? (3, 10) : nil }
}
