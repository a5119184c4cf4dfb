import Foundation
import SectionCaching
import Testing

/// A process opens a directory once, for all of its stores.
struct SharedEnvironmentTests {
    private static let plain = PlainIndex(sections: [.init(identity: [1], name: "a", title: "a", rowIDs: [5])]
    )

    @Test func `a read-only store does not keep another store of the process from saving`() throws {
        let directory = try CacheFixture()
        do { directory.store().saveNow(Self.plain, for: Sample()) }
        let reader = directory.store(.init(isReadOnly: true))
        #expect(reader.lookUp(Sample().request).isHit)
        let others = Sample().with { $0.name = "others" }
        let writer = directory.store()
        writer.saveNow(Self.plain, for: others)
        #expect(writer.lastProblem == nil)
        #expect(writer.lookUp(others.request).isHit && reader.lookUp(others.request).isHit)
        // The read-only store still writes nothing.
        reader.deleteAllCaches()
        reader.saveNow(Self.plain, for: Sample().with { $0.name = "more" })
        #expect(try reader.cacheNames() == ["artworks", "others"])
    }
}
