import BenchmarkSupport
import Foundation
import SectionedFetch

/// What is asked of the library.
enum Question: String {
    /// In sections by the section attribute, which an index serves.
    case plain
    /// The same, of songs since 2000.
    case filtered
    /// By first letter, in the order of a locale.
    case localized
    /// By the name of the artist, which is in another table.
    case related

    /// The request for the results controller.
    var request: FetchRequest<Song> {
        switch self {
        case .plain: FetchRequest(sortDescriptors: [.ascending(\.section), .ascending(\.title)])
        case .filtered:
            FetchRequest(
                predicate: \.year >= 2000, sortDescriptors: [.ascending(\.section), .ascending(\.title)])
        case .localized:
            FetchRequest(sortDescriptors: [
                .ascending(Self.letter, order: .localized(Self.locale)),
                .ascending(\.title, order: .localized(Self.locale)),
            ])
        case .related: FetchRequest(sortDescriptors: [.ascending("artist.name"), .ascending(\.title)])
        }
    }

    /// What the rows are grouped by.
    var sectionKey: SectionKey {
        switch self {
        case .plain, .filtered: "section"
        case .localized: SectionKey(Self.letter)
        case .related: "artist.name"
        }
    }

    /// The cache that the benchmark uses for all questions; the C program reads it by this name.
    static let cacheName: CacheName = "songs"

    /// The SQL that the controller has SQLite run, so that the C program can run the very same.
    func sql(store: String) throws -> String {
        let container = try PersistentContainer(url: URL(filePath: store), model: .songs())
        let columns = RequestColumns.groups(key: sectionKey.expression, name: sectionKey.nameExpression)
        let compiled = try container.compile(request.description, columns: columns)
        guard compiled.arguments.isEmpty else {
            throw SampleError("the SQL of “\(rawValue)” has parameters: \(compiled.sql)")
        }
        return compiled.sql
    }

    private static let locale = Locale(identifier: "en")
    private static let letter = KeyExpression.firstLetter(of: "title", locale: locale)
}
