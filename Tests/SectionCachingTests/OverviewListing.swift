import Foundation
import SectionCaching
import Testing

/// The listing of the article “SectionCaching”.
@Suite struct OverviewListing {
    /// Shows the sections of a shelf, from the cache if it has them.
    private func listTitles(
        for request: SectionCacheRequest, in directory: URL, _ shelf: [(name: String, rowIDs: [Int64])],
        show: (SectionIndex) -> Void
    ) {
        let store = SectionCacheStore(directory: directory)
        switch store.lookUp(request) {
        case .hit(let index), .advanced(let index, changedRows: _):
            show(index)
        case .miss:
            var builder = SectionIndex.Builder()
            for section in shelf {
                builder.beginSection(
                    identity: Array(section.name.utf8), name: section.name, indexTitle: section.name)
                for rowID in section.rowIDs { builder.append(rowID) }
            }
            let index = builder.finish()
            show(index)
            store.save(index, for: request)
        }
        #expect(store.waitForWrites(upTo: 60))
    }

    @Test func `a second look-up hits the entry that the first one saved`() throws {
        let directory = try CacheFixture()
        let request = Sample().request
        var shown: [[Int64]?] = []
        for shelf in [[("Poetry", [3, 1]), ("Prose", [2])], []] as [[(String, [Int64])]] {
            listTitles(for: request, in: URL(filePath: directory.path), shelf) { index in
                shown.append(index.rowIDs(in: 0..<index.numberOfRows))
            }
        }
        #expect(shown == [[3, 1, 2], [3, 1, 2]])
    }
}
