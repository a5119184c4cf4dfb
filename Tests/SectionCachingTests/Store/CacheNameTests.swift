import Foundation
import SectionCaching
import CheckSupport
import Testing

struct CacheNameTests {
    @Test(arguments: [
        ("", CacheNameError.Reason.empty), (String(repeating: "a", count: 256), .tooLong(byteCount: 256)),
        (String(repeating: "é", count: 128), .tooLong(byteCount: 256)), ("\u{0}", .controlCharacter(0)),
        ("a\u{0}b", .controlCharacter(0)), ("tab\there", .controlCharacter(9)),
        ("\u{1B}[0m", .controlCharacter(0x1B)),
        ("line\n", .controlCharacter(10)), ("\u{7F}", .controlCharacter(0x7F)),
        ("\u{80}", .controlCharacter(0x80)), ("a\u{85}b", .controlCharacter(0x85)),
        ("\u{9F}", .controlCharacter(0x9F)),
    ])
    func `a text that cannot be a name is refused with the reason`(
        text: String, reason: CacheNameError.Reason
    ) throws {
        let error = try #require(throws: CacheNameError.self) { try CacheName(text) }
        #expect(error.reason == reason && error.name == text)
        #expect(!error.description.isEmpty)
    }

    @Test(arguments: [
        "a", String(repeating: "a", count: 255), "../../etc/passwd", "..", "/", "con", "👩‍👩‍👧‍👦", "漢字", " ", "a b",
        "%s%n",
        "-rf", "\\", "__data", "data.mdb", "\u{A0}",
    ])
    func `any other text is a valid name, and never a path`(text: String) throws {
        let name = try CacheName(text)
        let directory = try CacheFixture()
        let store = directory.store()
        let plain = PlainIndex(sections: [.init(identity: [1], name: text, title: "", rowIDs: [5])])
        let sample = Sample().with { $0.name = name }
        store.saveNow(plain, for: sample)
        var generator = SeededGenerator(seed: 31)
        expectSame(try #require(store.hit(sample)), plain, using: &generator)
        #expect(try store.cacheNames() == [name])
        // No name becomes a path.
        let files = try FileManager.default.subpathsOfDirectory(atPath: directory.root).sorted()
        #expect(files == ["caches", "caches/data.mdb", "caches/guard.lock", "caches/lock.mdb"])
    }

    @Test func `canonically equivalent names are equal`() throws {
        let composed: CacheName = "\u{C5}ngstr\u{F6}m"
        let decomposed: CacheName = "A\u{30A}ngstro\u{308}m"
        #expect(composed == decomposed && Set([composed, decomposed]).count == 1)
        #expect(Array(composed.rawValue.utf8) == Array(decomposed.rawValue.utf8))
        let directory = try CacheFixture()
        let store = directory.store()
        let plain = PlainIndex(sections: [.init(identity: [1], name: "a", title: "", rowIDs: [5])])
        store.saveNow(plain, for: Sample().with { $0.name = decomposed })
        #expect(store.lookUp(Sample().with { $0.name = composed }.request).isHit)
    }

    @Test func `the length is that of the composed name`() throws {
        // 127 letters of three bytes each decomposed, and of two bytes each composed.
        let text = String(repeating: "e\u{301}", count: 127)
        #expect(text.utf8.count == 381)
        #expect(try CacheName(text).rawValue.utf8.count == 254)
    }

    @Test func `names differ in case and in width`() throws {
        // The last two are a wide letter and a Cyrillic one.
        #expect(Set<CacheName>(["a", "A", "ａ", "а"]).count == 4)
    }
}
