import Foundation
import LMDB
import SectionCaching
import CheckSupport
import Testing

struct AdvancingTests {
    /// Saves an entry of many small chunks, and returns a model of it and the editor that advances it.
    private func filled(
        _ store: SectionCacheStore, rows: Int = 900, rowsPerChunk: Int = 30,
        using generator: inout SeededGenerator
    ) throws -> (model: EditedPlainIndex, editor: SectionIndexEditor) {
        let plain = PlainIndex.distinct(rows: rows, sections: 8, spacing: 1, using: &generator)
        store.save(plain.build(rowsPerChunk: rowsPerChunk), for: Sample().request)
        #expect(store.waitForWrites())
        return (EditedPlainIndex(plain), SectionIndexEditor(try #require(store.hit(Sample()))))
    }

    @Test func `after any number of advances an entry equals a computed one in every program`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let directory = try CacheFixture()
        let store = directory.store()
        var (model, editor) = try filled(store, using: &generator)
        for step in 1...60 {
            // Every seventh step is made by a program that was just started.
            if step % 7 == 0 {
                let outdated = try #require(directory.store().outdatedIndex(for: Sample.step(step).request))
                #expect(outdated.token == Sample.step(step - 1).token)
                editor = SectionIndexEditor(outdated.index)
            }
            let size = [0, 1, 3, 40].randomElement(using: &generator) ?? 1
            try #require(editor.apply(model.change(size, using: &generator)))
            store.save(editor.index, for: Sample.step(step).request)
            #expect(store.waitForWrites())
            let other = directory.store()
            #expect(other.missReason(.step(step - 1)) != nil)
            expectSame(try #require(other.hit(.step(step))), model.plain, using: &generator)
            let entry = try #require(try other.entries(ofCache: "artworks").first)
            #expect(entry.isIntact, "step \(step), seed \(seed)")
            #expect(entry.numberOfChunks <= 2 * (model.plain.rowIDs.count / 30 + 1))
        }
        #expect(store.lastProblem == nil)
    }

    @Test func `the number of bytes written follows the number of changes`() throws {
        var generator = SeededGenerator(seed: 71)
        let directory = try CacheFixture()
        let store = directory.store()
        let plain = PlainIndex.distinct(rows: 1_000_000, sections: 27, spacing: 1, using: &generator)
        let computed = plain.build()
        store.save(computed, for: Sample().request)
        #expect(store.waitForWrites())
        let full = store.writtenByteCount
        // Both the computed index and the one that was looked up know the stored chunks.
        for number in 0...1 {
            let editor = SectionIndexEditor(number == 0 ? computed : try #require(store.hit(.step(3))))
            var edit = SectionIndexEdit()
            edit.removedRows = [500_000]
            for step in 1...3 {
                try #require(editor.apply(edit))
                let before = store.writtenByteCount
                store.save(editor.index, for: Sample.step(3 * number + step).request)
                #expect(store.waitForWrites())
                let written = store.writtenByteCount - before
                #expect(written > 0 && written * 50 < full, "\(written) of \(full)")
            }
        }
        #expect(store.hit(.step(6))?.numberOfRows == 999_994)
    }

    @Test func `replacing one row writes one chunk and a directory`() throws {
        var generator = SeededGenerator(seed: 72)
        let directory = try CacheFixture()
        let store = directory.store()
        let (_, editor) = try filled(store, using: &generator)
        let before = try directory.values(ofCache: "artworks")
        var edit = SectionIndexEdit()
        edit.removedRows = [100]
        edit.insertedRows = [
            .init(id: 5_000, position: 100, section: editor.index.sectionPosition(containing: 100))
        ]
        for step in 1...4 {
            try #require(editor.apply(edit))
            store.save(editor.index, for: Sample.step(step).request)
            #expect(store.waitForWrites())
            edit.insertedRows = [
                .init(id: 5_000 + Int64(step), position: 100, section: edit.insertedRows[0].section)
            ]
            let after = try directory.values(ofCache: "artworks")
            // Only the chunk that the last advance replaced is kept, for readers that are one advance behind.
            #expect(after.count == before.count + 1)
            let old = Set(before.map(\.value))
            #expect(after.count { !old.contains($0.value) } == (step == 1 ? 2 : 3))
        }
    }

    @Test func `a reader one advance behind keeps all rows, and a reader two behind loses only changed rows`()
        throws
    {
        var generator = SeededGenerator(seed: 73)
        let directory = try CacheFixture()
        let store = directory.store()
        let (_, editor) = try filled(store, using: &generator)
        let all = try #require(editor.index.rowIDs(in: 0..<900))
        // A separate look-up shares nothing with the index that is edited.
        let reader = try #require(directory.store().hit(Sample()))
        var edit = SectionIndexEdit()
        edit.removedRows = [100]
        for step in 1...3 {
            try #require(editor.apply(edit))
            store.save(editor.index, for: Sample.step(step).request)
            #expect(store.waitForWrites())
            #expect(reader.rowIDs(in: 90..<120) == (step == 1 ? Array(all[90..<120]) : nil), "step \(step)")
            #expect(reader.rowIDs(in: 300..<900) == Array(all[300..<900]))
        }
    }

    @Test func `an entry that has the token already is not written again`() throws {
        var generator = SeededGenerator(seed: 74)
        let directory = try CacheFixture()
        let store = directory.store()
        var (model, editor) = try filled(store, using: &generator)
        let second = directory.store()
        let twin = SectionIndexEditor(try #require(second.hit(Sample())))
        let edit = model.change(5, using: &generator)
        #expect(editor.apply(edit) && twin.apply(edit))
        for (store, index) in [(store, editor.index), (second, twin.index)] {
            store.save(index, for: Sample.step(1).request)
            #expect(store.waitForWrites())
        }
        #expect(second.writtenByteCount == 0)
        // The second store can advance the entry from there nevertheless.
        #expect(twin.apply(model.change(5, using: &generator)))
        second.save(twin.index, for: Sample.step(2).request)
        #expect(second.waitForWrites())
        expectSame(try #require(store.hit(.step(2))), model.plain, using: &generator)
        // An index that was looked up is not written again either; a later token needs only a directory.
        let found = try #require(store.hit(.step(2)))
        let written = store.writtenByteCount
        store.save(found, for: Sample.step(2).request)
        #expect(store.waitForWrites())
        #expect(store.writtenByteCount == written)
        let values = Set(try directory.values(ofCache: "artworks").map(\.value))
        store.save(found, for: Sample.step(3).request)
        #expect(store.waitForWrites())
        #expect(try directory.values(ofCache: "artworks").count { !values.contains($0.value) } == 1)
        expectSame(try #require(store.hit(.step(3))), model.plain, using: &generator)
    }

    @Test func `if two programs advance an entry to different states, the last one is intact`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let directory = try CacheFixture()
        let stores = [directory.store(), directory.store()]
        let (model, editor) = try filled(stores[0], using: &generator)
        var models = [model, model]
        let editors = [editor, SectionIndexEditor(try #require(stores[1].hit(Sample())))]
        var last = (step: 0, plain: model.plain)
        var advances = 0
        for step in 1...40 {
            let program = Int.random(in: 0...1, using: &generator)
            var changed = models[program]
            // A program that is behind may be unable to read the rows that it must change.
            guard editors[program].apply(changed.change(2, using: &generator)) else { continue }
            models[program] = changed
            stores[program].save(editors[program].index, for: Sample.step(step).request)
            #expect(stores[program].waitForWrites())
            // It may also lack rows that it must write.
            if stores[1 - program].lookUp(Sample.step(step).request).isHit {
                last = (step, changed.plain)
                advances += 1
            }
            expectSame(try #require(stores[1 - program].hit(.step(last.step))), last.plain, using: &generator)
            let entries = try stores[program].entries(ofCache: "artworks")
            #expect(entries.count == 1)
            #expect(entries.allSatisfy { $0.isIntact })
        }
        print("\(advances) of 40 steps advanced the entry")
        // The number depends on chance, but the first step always advances the entry.
        #expect(advances > 0)
    }

    @Test func `the last of the waiting saves of one entry replaces the others, and other entries are saved`()
        throws
    {
        var generator = SeededGenerator(seed: 75)
        let directory = try CacheFixture()
        let store = directory.store()
        var (model, editor) = try filled(store, using: &generator)
        let other = PlainIndex(sections: [.init(identity: [1], name: "a", title: "a", rowIDs: [1])])
        let first = try #require(try store.entries(ofCache: "artworks").first?.sequence)
        // The write transaction blocks the saves.
        try directory.environment().write { (_) throws(LMDBError) in
            for step in 1...30 {
                #expect(editor.apply(model.change(1, using: &generator)))
                store.save(editor.index, for: Sample.step(step).request)
                if step == 10 { store.save(other.build(), for: Sample().with { $0.name = "others" }.request) }
            }
        }
        #expect(store.waitForWrites())
        expectSame(try #require(store.hit(.step(30))), model.plain, using: &generator)
        let last = try #require(try store.entries(ofCache: "artworks").first?.sequence)
        let others = try #require(try store.entries(ofCache: "others").first?.sequence)
        // One save that had begun, the last one, and that of the other entry, the last two in either order.
        #expect(max(last, others) - first <= 3, "\(first) \(last) \(others)")
    }

    @Test func `an entry of the previous format is a miss, and is replaced`() throws {
        var generator = SeededGenerator(seed: 76)
        let directory = try CacheFixture()
        let store = directory.store()
        var (model, editor) = try filled(store, using: &generator)
        let (key, value) = try #require(try directory.values(ofCache: "artworks").first)
        var old = value
        old[8] = 1
        try directory.put(old, for: key, inCache: "artworks")
        #expect(store.missReason(Sample()) == .formatMismatch(found: 1))
        // The chunks still match the index, so that the whole entry can be saved.
        #expect(editor.apply(model.change(3, using: &generator)))
        store.save(editor.index, for: Sample.step(1).request)
        #expect(store.waitForWrites())
        expectSame(try #require(store.hit(.step(1))), model.plain, using: &generator)
        let entry = try #require(try store.entries(ofCache: "artworks").first)
        #expect(try directory.values(ofCache: "artworks").count == 1 + entry.numberOfChunks)
    }
}
