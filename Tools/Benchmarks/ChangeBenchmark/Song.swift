import Foundation
import SectionedFetch

/// The entity of the benchmark.
final class Song: ManagedObject {
    @Attribute var title: String = ""
    @Attribute var section: String = ""
    @Attribute var artist: String = ""
    @Attribute var year: Int32 = 0
    /// An attribute that no order reads, so that rows with another value keep their positions.
    @Attribute var plays: Int32 = 0
    /// The condition of batch updates. The rows of one shelf are scattered over the list.
    @Attribute(.indexed) var shelf: Int32 = 0
}

extension ManagedObjectModel {
    /// The benchmark's model.
    static func songs() throws -> ManagedObjectModel { try ManagedObjectModel(types: Song.self) }
}

/// The order of a list, and its sections.
enum ListOrder: String, CaseIterable, Codable {
    /// Sections by an attribute, then by title. An index has this order.
    case indexed
    /// Sections by first letter, in the order of a locale, which SQLite has to sort. An index has the titles
    /// in binary order, so that the approximate position of a title can be looked up.
    case localizedTitlesIndexed = "localized-titles-indexed"
    /// The same order without an index of the titles.
    case localized

    var title: String {
        switch self {
        case .indexed: "an order that an index has"
        case .localizedTitlesIndexed: "a locale's order, titles indexed"
        case .localized: "a locale's order, titles not indexed"
        }
    }

    /// The statements that create the indexes of the list's store.
    var indexes: [String] {
        let sections = "CREATE INDEX song_by_section ON Song (section, title)"
        switch self {
        case .indexed, .localized: return [sections]
        case .localizedTitlesIndexed: return [sections, "CREATE INDEX song_by_title ON Song (title)"]
        }
    }

    /// The request for the results controller.
    var request: FetchRequest<Song> {
        switch self {
        case .indexed: FetchRequest(sortDescriptors: [.ascending(\.section), .ascending(\.title)])
        case .localized, .localizedTitlesIndexed:
            FetchRequest(sortDescriptors: [
                .ascending(Self.letter, order: .localized(Self.locale)),
                .ascending(\.title, order: .localized(Self.locale)),
            ])
        }
    }

    /// The section key.
    var sectionKey: SectionKey {
        switch self {
        case .indexed: "section"
        case .localized, .localizedTitlesIndexed: SectionKey(Self.letter)
        }
    }

    /// Creates a controller without fetching.
    ///
    /// - Parameter caches: The cache store; nil for none.
    func controller(
        _ context: ManagedObjectContext, caches: SectionCacheStore?
    ) throws -> FetchedResultsController<Song> {
        guard let caches else {
            return try FetchedResultsController(
                fetchRequest: request, context: context, sectionNameKeyPath: sectionKey)
        }
        return try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: sectionKey, cacheName: "songs",
            cacheStore: caches)
    }

    private static let locale = Locale(identifier: "en")
    private static let letter = KeyExpression.firstLetter(of: "title", in: locale)
}
