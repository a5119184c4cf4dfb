import Foundation
import SectionCaching
import Mutants
import CheckSupport

/// Unusual cache names. They must be refused or kept apart, and equal names must be one cache.
enum CacheNameFaults: FaultProgram {
    static let name = "cache-names"
    static let rows = ["A-26"]
    static let summary = "saves under unusual names, and looks up under equal and nearly equal names"
    static let releaseCount = 10_000
    static let mutants: [Mutant] = [.truncatedName]
    static let huntCount = 1_000

    static func run(_ run: inout FaultRun) throws {
        let store = SectionCacheStore(directory: run.folder.appending(path: "caches"))
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let text = randomText(using: &generator)
            guard let name = try checkedName(text) else {
                run.note(.refused)
                continue
            }
            let sample = CacheSample(name: name, number: trial)
            store.save(sample.index, for: sample.request)
            guard store.waitForWrites(upTo: 30) else {
                throw FaultFinding("a save to the cache does not end")
            }
            // The same name in another Unicode form.
            let twin = try CacheName(text.decomposedStringWithCanonicalMapping)
            try sample.check(store.lookUp(sample.with(name: twin).request), mustHit: true)
            // A different name with the same beginning.
            let longer = text + "x"
            if let other = try checkedName(longer), other != name {
                guard case .miss = store.lookUp(sample.with(name: other).request) else {
                    throw FaultFinding(
                        "“\(longer.debugDescription)” finds what was saved as “\(text.debugDescription)”")
                }
            }
            store.deleteCache(named: name)
            guard store.waitForWrites(upTo: 30) else { throw FaultFinding("a deletion does not end") }
            run.note(.right)
        }
    }

    /// Returns the name, or nil if it is refused; throws if the refusal or acceptance is against the rule.
    private static func checkedName(_ text: String) throws -> CacheName? {
        let composed = Array(text.precomposedStringWithCanonicalMapping.utf8)
        let hasControls = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        let isAllowed = (1...255).contains(composed.count) && !hasControls
        let name: CacheName
        do {
            name = try CacheName(text)
        } catch {
            guard !isAllowed else {
                throw FaultFinding("\(text.debugDescription) is refused as a name: \(error)")
            }
            return nil
        }
        guard isAllowed else { throw FaultFinding("\(text.debugDescription) is accepted as a name") }
        guard Array(name.rawValue.utf8) == composed else {
            throw FaultFinding("\(text.debugDescription) becomes \(name.rawValue.debugDescription)")
        }
        return name
    }

    private static func randomText(using generator: inout SeededGenerator) -> String {
        let pieces = [
            "a", "songs", "../", "/", "é", "e\u{301}", "\u{212B}", "😀", "👩‍👩‍👧", "\u{5D0}", "\u{202E}", " ", "\0",
            "\u{7F}", "\u{80}", "\u{9F}", "\u{A0}",
            "\u{1B}", "Å", "ﬁ", ".", "\\", "%00", "한", "\u{1112}\u{1161}\u{11AB}",
        ]
        let count = [0, 1, 2, 3, 8, 64, 254, 255, 256, 300].randomElement(using: &generator) ?? 1
        if count > 8 { return String(repeating: "n", count: count) }
        return (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }
}
