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

    var sectionKey: SectionKey {
        switch self {
        case .plain, .filtered: "section"
        case .localized: SectionKey(Self.letter)
        case .related: "artist.name"
        }
    }

    private static let locale = Locale(identifier: "en")
    private static let letter = KeyExpression.firstLetter(of: "title", locale: locale)
}

/// What a sample expects of the cache.
enum Expectation: String {
    case hit, miss, none
}

/// From opening the store to the sections and the first twenty objects, through the results controller.
func controllerSample(
    _ question: Question, store: String, caches: String, expecting expectation: Expectation
) throws {
    let start = nanoseconds()
    let container = try PersistentContainer(url: URL(filePath: store), model: .songs())
    let cacheStore = SectionCacheStore(directory: URL(filePath: caches))
    let controller = try FetchedResultsController(
        fetchRequest: question.request, context: container.newContext(),
        sectionNameKeyPath: question.sectionKey,
        cacheName: expectation == .none ? nil : "songs", cacheStore: cacheStore)
    try controller.performFetch()
    var answer = Answer()
    guard let sections = controller.sections, let objects = controller.fetchedObjects else {
        throw SampleError("there are no results")
    }
    let numberOfSections = sections.count
    for object in objects.prefix(20) { answer.firstTitles.append(object.title) }
    if expectation == .miss { cacheStore.waitForSaves() }
    let elapsed = nanoseconds() - start
    let isHit = controller.cacheLookup?.isHit ?? false
    guard isHit == (expectation == .hit) else {
        throw SampleError(
            "expected \(expectation.rawValue), but \(controller.cacheLookup.map { "\($0)" } ?? "no cache")")
    }
    answer.sections = sections.map { ($0.name, $0.numberOfObjects) }
    guard numberOfSections == answer.sections.count else { throw SampleError("sections changed") }
    report(elapsed, answer)
}

/// What keeps a sample from being one.
struct SampleError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
