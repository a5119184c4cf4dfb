import BenchmarkSupport
import Foundation
import SectionedFetch

/// A question to the library.
enum Question: String {
    /// Sections by an attribute. An index has the order.
    case plain
    /// Sections by an attribute, for songs since 2000.
    case filtered
    /// Sections by first letter, in the order of a locale.
    case localized
    /// Sections by the name of the artist, which is in another table.
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

    /// The section key.
    var sectionKey: SectionKey {
        switch self {
        case .plain, .filtered: "section"
        case .localized: SectionKey(Self.letter)
        case .related: "artist.name"
        }
    }

    /// The name of the cache for all questions. The C program reads the cache of this name.
    static let cacheName: CacheName = "songs"

    /// Returns the SQL that the controller runs, for the C program.
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
    private static let letter = KeyExpression.firstLetter(of: "title", in: locale)
}
