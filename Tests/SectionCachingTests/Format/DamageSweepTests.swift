import Foundation
import SectionCaching
import CheckSupport
import Testing

struct DamageSweepTests {
    /// Runs in a separate process, which a crash would end.
    @Test func `no damage to a data file ends the process or changes a row`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let seed: UInt64 = 20_260_202
            report("seed \(seed)")
            var generator = SeededGenerator(seed: seed)
            let directory = try CacheFixture()
            var entries = SweepEntry.make(using: &generator)
            do {
                let store = directory.store()
                // Repeated saves leave free pages and older copies of pages. Repeated advances leave chunks
                // out of order and retired chunks.
                for _ in 0..<2 { for entry in entries { store.saveNow(entry.plain, for: entry.sample) } }
                for _ in 0..<3 { for number in entries.indices { try entries[number].advance(in: store) } }
            }
            let sound = try directory.contents()
            report("\(sound.count) bytes")
            for damage in Damage.allCases {
                var outcomes = SweepOutcomes()
                for _ in 0..<200 {
                    // Each file has its own directory, because a process replaces a directory only once.
                    let damaged = try CacheFixture()
                    try damaged.replaceContents(damage.apply(to: sound, using: &generator))
                    try outcomes.use(damaged, entries, using: &generator)
                }
                report("\(damage): \(outcomes)")
                #expect(outcomes.hits + outcomes.misses > 0)
            }
        }
        print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
    }

    @Test func `an undamaged file gives only hits in the same procedure`() throws {
        var generator = SeededGenerator(seed: 51)
        let directory = try CacheFixture()
        let entries = SweepEntry.make(using: &generator)
        do {
            let store = directory.store()
            for entry in entries { store.saveNow(entry.plain, for: entry.sample) }
        }
        try directory.replaceContents(try directory.contents())
        var outcomes = SweepOutcomes()
        try outcomes.use(directory, entries, using: &generator)
        #expect(outcomes.misses == 0 && outcomes.lost == 0 && outcomes.hits == entries.count)
        #expect(outcomes.replaced == 0 && outcomes.unsaved == 0)
    }
}

/// One entry of the file that is damaged.
struct SweepEntry {
    private(set) var sample: Sample
    private(set) var plain: PlainIndex

    /// Replaces a row in the middle, and advances the entry that is stored.
    mutating func advance(in store: SectionCacheStore) throws {
        let editor = SectionIndexEditor(try #require(store.hit(sample)))
        var edit = SectionIndexEdit()
        if let section = plain.sections.indices.first(where: { !plain.sections[$0].rowIDs.isEmpty }) {
            let first = plain.sections[..<section].reduce(0) { $0 + $1.rowIDs.count }
            let row = plain.sections[section].rowIDs.count / 2
            let id = plain.sections[section].rowIDs[row] ^ 1
            plain.sections[section].rowIDs[row] = id
            edit.removedRows = [first + row]
            edit.insertedRows = [.init(id: id, position: first + row, section: section)]
        }
        #expect(editor.apply(edit))
        sample.states["Artwork", default: 0] += 1
        store.save(editor.index, for: sample.request)
        #expect(store.waitForWrites())
    }

    static func make(using generator: inout SeededGenerator) -> [SweepEntry] {
        [(0, 0), (1, 1), (30, 4), (300, 100), (900, 3), (4_300, 20)].enumerated().map { number, size in
            SweepEntry(
                sample: Sample().with {
                    $0.name = number % 2 == 0 ? "even" : "odd"
                    $0.parts["window"] = "\(number)"
                },
                // The widest IDs, so that few rows make a second chunk.
                plain: .random(rows: size.0, sections: size.1, ids: .extreme, using: &generator))
        }
    }
}

/// The outcomes of using damaged files.
struct SweepOutcomes: CustomStringConvertible {
    var hits = 0
    var misses = 0
    /// Hits with some lost rows.
    var lost = 0
    /// Files that were replaced.
    var replaced = 0
    /// Files that a new entry could not be saved to.
    var unsaved = 0

    var description: String {
        "\(hits) hits (\(lost) with lost rows), \(misses) misses, \(replaced) replaced, \(unsaved) not written"
    }

    /// Looks up all entries, saves a new one, looks it up with an older one, and deletes all caches.
    mutating func use(
        _ directory: CacheFixture, _ entries: [SweepEntry], using generator: inout SeededGenerator
    ) throws {
        let store = directory.store()
        lookUp(entries, in: store, using: &generator)
        let fresh = SweepEntry(
            sample: Sample().with { $0.name = "even" },
            plain: .random(rows: 500, sections: 2, ids: .dense, using: &generator))
        store.saveNow(fresh.plain, for: fresh.sample)
        if store.lookUp(fresh.sample.request).isHit {
            var again = SweepOutcomes()
            again.lookUp([fresh, entries[5]], in: store, using: &generator)
            #expect(again.hits > 0)
        } else {
            unsaved += 1
            // Once the damage is detected, the next save succeeds.
            store.saveNow(fresh.plain, for: fresh.sample)
            #expect(store.lookUp(fresh.sample.request).isHit, "\(String(describing: store.lastProblem))")
        }
        if case .corrupt = store.lastProblem { replaced += 1 }
        _ = try? store.statistics()
        store.deleteAllCaches()
        #expect(store.waitForWrites())
        #expect(!store.lookUp(fresh.sample.request).isHit)
    }

    private mutating func lookUp(
        _ entries: [SweepEntry], in store: SectionCacheStore, using generator: inout SeededGenerator
    ) {
        for entry in entries {
            guard let index = store.hit(entry.sample) else {
                misses += 1
                continue
            }
            hits += 1
            let (first, last) = (
                index.rowIDs(in: 0..<min(1, index.numberOfRows)), max(0, index.numberOfRows - 1)
            )
            if first == nil || index.rowIDs(in: last..<index.numberOfRows) == nil { lost += 1 }
            expectSame(index, entry.plain, mayBeLost: true, using: &generator)
        }
    }
}

/// Writes a line to standard error, which the parent process prints.
func report(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
