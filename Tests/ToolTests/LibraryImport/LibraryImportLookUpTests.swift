import InternalUtilities
import SectionedFetch
import Testing

@testable import LibraryImport

@Suite struct LibraryImportLookUpTests {
    @Test func `the cache of keys drops names, but never returns a wrong key`() {
        var cache = RelatedKeyCache()
        for number in 0..<250_000 {
            cache.insert(Int64(number), for: "name \(number)")
            // One name is looked up each time and therefore stays.
            if number > 0 { #expect(cache.key(for: "name 0") == 0) }
        }
        var known = 0
        for number in 0..<250_000 {
            guard let key = cache.key(for: "name \(number)") else { continue }
            known += 1
            if key != Int64(number) { Issue.record("“name \(number)” has the key \(key)") }
        }
        #expect(known <= 100_000)
        #expect(known >= 50_000)
    }

    @Test func `a very long name is not cached`() {
        var cache = RelatedKeyCache()
        cache.insert(1, for: String(repeating: "x", count: 1_025))
        cache.insert(2, for: String(repeating: "x", count: 1_024))
        #expect(cache.key(for: String(repeating: "x", count: 1_025)) == nil)
        #expect(cache.key(for: String(repeating: "x", count: 1_024)) == 2)
    }

    @Test(
        arguments: [
            ("titel", "title"), ("Title", "title"), ("yer", "year"), ("objectid", "ObjectID"),
            ("zzzzzzzz", nil),
            ("", nil),
        ] as [(String, String?)])
    func `the nearest name is suggested`(name: String, nearest: String?) {
        let names = ["title", "year", "ObjectID", "department"]
        #expect(NearestName.nearest(to: name, among: names) == nearest)
    }

    @Test func `if no name is near, all are listed`() {
        #expect(
            NearestName.suggestion(for: "q", among: ["alpha", "beta", "alpha"]) == "Available: alpha, beta.")
        #expect(NearestName.suggestion(for: "q", among: []) == "None are available.")
    }

    @Test(
        arguments: [
            (0, 0, 0, 0.0, "0 rows  0 rows/s"),
            (50, 250, 1_000, 2.0, "██████·················· 25 %  50 rows  25 rows/s  6 s left"),
            (4_000, 1_000, 1_000, 4.0, "████████████████████████ 100 %  4,000 rows  1,000 rows/s  0 s left"),
            (10, 1, 100, 1.0, "························ 1 %  10 rows  10 rows/s  1 min 39 s left"),
        ])
    func `the progress line has the share, rows, rate and remaining time`(
        rows: Int, byteOffset: Int, byteCount: Int, seconds: Double, line: String
    ) {
        let progress = Importer.Progress(rows: rows, byteOffset: byteOffset, byteCount: byteCount)
        #expect(ImportProgress.line(progress, seconds: seconds) == line)
    }
}
