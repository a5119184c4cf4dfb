#if canImport(Glibc)
import Foundation
import SectionCaching
import CheckSupport
import Testing

struct ThreadShortageTests {
    private static let plain = PlainIndex(sections: [.init(identity: [1], name: "a", title: "a", rowIDs: [5])]
    )

    @Test func `a save without a thread is a problem, and is done once a thread is available`() async throws {
        let directory = try CacheFixture()
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            let store = SectionCacheStore(directory: URL(filePath: path))
            ThreadShortage.begin()
            store.save(Self.plain.build(), for: Sample().request)
            #expect("\(String(describing: store.lastProblem))".contains("thread"))
            #expect(!store.waitForWrites(upTo: 0.1))
            ThreadShortage.end()
            #expect(store.waitForWrites(upTo: 60))
            #expect(store.lookUp(Sample().request).isHit)
        }
    }

    @Test func `a deletion without a thread is done with the next save`() async throws {
        let directory = try CacheFixture()
        do { directory.store().saveNow(Self.plain, for: Sample()) }
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            let store = SectionCacheStore(directory: URL(filePath: path))
            #expect(store.lookUp(Sample().request).isHit)
            ThreadShortage.begin()
            store.deleteCache(named: Sample().name)
            #expect(store.missReason(Sample()) == .absent)
            ThreadShortage.end()
            let others = Sample().with { $0.name = "others" }
            store.saveNow(Self.plain, for: others)
            let names = try store.cacheNames()
            #expect(names == ["others"])
            store.saveNow(Self.plain, for: Sample())
            #expect(store.lookUp(Sample().request).isHit)
        }
    }
}
#endif
