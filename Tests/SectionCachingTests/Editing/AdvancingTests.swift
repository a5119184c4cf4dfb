import Foundation
import LMDB
import SectionCaching
import CheckSupport
import Testing

struct AdvancingTests {
    /// An entry of many small chunks, and the editor that advances it.
    private func filled(
        _ store: SectionCacheStore, rows: Int = 900, rowsPerChunk: Int = 30,
        using generator: inout SeededGenerator
    ) throws -> (model: EditedPlainIndex, editor: SectionIndexEditor) {
        let plain = PlainIndex.distinct(rows: rows, sections: 8, spacing: 1, using: &generator)
        store.save(plain.build(rowsPerChunk: rowsPerChunk), for: Sample().request)
        #expect(store.waitForSaves())
        return (EditedPlainIndex(plain), SectionIndexEditor(try #require(store.hit(Sample()))))
    }

    @Test func `an entry after any number of advances is what would be computed, for any program`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let store = directory.store()
        var (model, editor) = try filled(store, using: &generator)
        for step in 1...60 {
            // Now and then by a program that was just started.
            if step % 7 == 0 {
                let outdated = try #require(directory.store().outdatedIndex(for: Sample.step(step).request))
                #expect(outdated.token == Sample.step(step - 1).token)
                editor = SectionIndexEditor(outdated.index)
            }
            let size = [0, 1, 3, 40].randomElement(using: &generator) ?? 1
            try #require(editor.apply(model.change(size, using: &generator)))
            store.save(editor.index, for: Sample.step(step).request)
            #expect(store.waitForSaves())
            let other = directory.store()
            #expect(other.missReason(.step(step - 1)) != nil)
            expectSame(try #require(other.hit(.step(step))), model.plain, using: &generator)
            let entry = try #require(try other.entries(ofCache: "artworks").first)
            #expect(entry.isIntact, "step \(step), seed \(seed)")
            #expect(entry.numberOfChunks <= 2 * (model.plain.rowIDs.count / 30 + 1))
        }
        #expect(store.lastProblem == nil)
    }

    @Test func `bytes written follow the number of changes`() throws {
        var generator = SeededGenerator(seed: 71)
        let directory = try TemporaryDirectory()
        let store = directory.store()
        let plain = PlainIndex.distinct(rows: 1_000_000, sections: 27, spacing: 1, using: &generator)
        let computed = plain.build()
        store.save(computed, for: Sample().request)
        #expect(store.waitForSaves())
        let full = store.writtenByteCount
        // Both the index as it was computed and the one that was looked up know what is stored.
        for number in 0...1 {
            let editor = SectionIndexEditor(number == 0 ? computed : try #require(store.hit(.step(3))))
            var edit = SectionIndexEdit()
            edit.removedRows = [500_000]
            for step in 1...3 {
                try #require(editor.apply(edit))
                let before = store.writtenByteCount
                store.save(editor.index, for: Sample.step(3 * number + step).request)
                #expect(store.waitForSaves())
                let written = store.writtenByteCount - before
                #expect(written > 0 && written * 50 < full, "\(written) of \(full)")
            }
        }
        #expect(store.hit(.step(6))?.numberOfRows == 999_994)
    }

    @Test func `a row that is replaced by another writes one chunk and a directory`() throws {
        var generator = SeededGenerator(seed: 72)
        let directory = try TemporaryDirectory()
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
            #expect(store.waitForSaves())
            edit.insertedRows = [
                .init(id: 5_000 + Int64(step), position: 100, section: edit.insertedRows[0].section)
            ]
            let after = try directory.values(ofCache: "artworks")
            // The chunk that was replaced is kept for those who are one advance behind, and no other.
            #expect(after.count == before.count + 1)
            let old = Set(before.map(\.value))
            #expect(after.count { !old.contains($0.value) } == (step == 1 ? 2 : 3))
        }
    }

    @Test func `who is one advance behind goes on, who is two behind loses what changed and nothing else`()
        throws
    {
        var generator = SeededGenerator(seed: 73)
        let directory = try TemporaryDirectory()
        let store = directory.store()
        let (_, editor) = try filled(store, using: &generator)
        let all = try #require(editor.index.rowIDs(in: 0..<900))
        // Looked up by itself, so that it shares nothing with the index that is edited.
        let reader = try #require(directory.store().hit(Sample()))
        var edit = SectionIndexEdit()
        edit.removedRows = [100]
        for step in 1...3 {
            try #require(editor.apply(edit))
            store.save(editor.index, for: Sample.step(step).request)
            #expect(store.waitForSaves())
            #expect(reader.rowIDs(in: 90..<120) == (step == 1 ? Array(all[90..<120]) : nil), "step \(step)")
            #expect(reader.rowIDs(in: 300..<900) == Array(all[300..<900]))
        }
    }

    @Test func `what is as of a token already is not written again`() throws {
        var generator = SeededGenerator(seed: 74)
        let directory = try TemporaryDirectory()
        let store = directory.store()
        var (model, editor) = try filled(store, using: &generator)
        let second = directory.store()
        let twin = SectionIndexEditor(try #require(second.hit(Sample())))
        let edit = model.change(5, using: &generator)
        #expect(editor.apply(edit) && twin.apply(edit))
        for (store, index) in [(store, editor.index), (second, twin.index)] {
            store.save(index, for: Sample.step(1).request)
            #expect(store.waitForSaves())
        }
        #expect(second.writtenByteCount == 0)
        // The other goes on from there all the same.
        #expect(twin.apply(model.change(5, using: &generator)))
        second.save(twin.index, for: Sample.step(2).request)
        #expect(second.waitForSaves())
        expectSame(try #require(store.hit(.step(2))), model.plain, using: &generator)
        // Nor is an index that was looked up; as of a later token it needs a directory alone.
        let found = try #require(store.hit(.step(2)))
        let written = store.writtenByteCount
        store.save(found, for: Sample.step(2).request)
        #expect(store.waitForSaves())
        #expect(store.writtenByteCount == written)
        let values = Set(try directory.values(ofCache: "artworks").map(\.value))
        store.save(found, for: Sample.step(3).request)
        #expect(store.waitForSaves())
        #expect(try directory.values(ofCache: "artworks").count { !values.contains($0.value) } == 1)
        expectSame(try #require(store.hit(.step(3))), model.plain, using: &generator)
    }

    @Test func `of two programs that advance to different states the last one's entry is whole`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let stores = [directory.store(), directory.store()]
        let (model, editor) = try filled(stores[0], using: &generator)
        var models = [model, model]
        let editors = [editor, SectionIndexEditor(try #require(stores[1].hit(Sample())))]
        var last = (step: 0, plain: model.plain)
        var advances = 0
        for step in 1...40 {
            let program = Int.random(in: 0...1, using: &generator)
            var changed = models[program]
            // A program that is behind may not be able to read what it is to change.
            guard editors[program].apply(changed.change(2, using: &generator)) else { continue }
            models[program] = changed
            stores[program].save(editors[program].index, for: Sample.step(step).request)
            #expect(stores[program].waitForSaves())
            // Nor may it have all rows that it would have to write.
            if stores[1 - program].lookUp(Sample.step(step).request).isHit {
                last = (step, changed.plain)
                advances += 1
            }
            expectSame(try #require(stores[1 - program].hit(.step(last.step))), last.plain, using: &generator)
            #expect(try stores[program].entries(ofCache: "artworks").allSatisfy { $0.isIntact })
        }
        print("\(advances) of 40 steps advanced the entry")
        // How many depends on chance; the first always does.
        #expect(advances > 0)
    }

    @Test func `saves of one entry that wait give way to the last, and others keep their order`() throws {
        var generator = SeededGenerator(seed: 75)
        let directory = try TemporaryDirectory()
        let store = directory.store()
        var (model, editor) = try filled(store, using: &generator)
        let other = PlainIndex(sections: [.init(identity: [1], name: "a", title: "a", rowIDs: [1])])
        let first = try #require(try store.entries(ofCache: "artworks").first?.sequence)
        // Nothing can be written meanwhile.
        try directory.environment().write { (_) throws(LMDBError) in
            for step in 1...30 {
                #expect(editor.apply(model.change(1, using: &generator)))
                store.save(editor.index, for: Sample.step(step).request)
                if step == 10 { store.save(other.build(), for: Sample().with { $0.name = "others" }.request) }
            }
        }
        #expect(store.waitForSaves())
        expectSame(try #require(store.hit(.step(30))), model.plain, using: &generator)
        let last = try #require(try store.entries(ofCache: "artworks").first?.sequence)
        let others = try #require(try store.entries(ofCache: "others").first?.sequence)
        // One that had begun, the last, and the other's, whichever of these two was handed over first.
        #expect(max(last, others) - first <= 3, "\(first) \(last) \(others)")
    }

    @Test func `an entry of the format before is a miss, and is replaced`() throws {
        var generator = SeededGenerator(seed: 76)
        let directory = try TemporaryDirectory()
        let store = directory.store()
        var (model, editor) = try filled(store, using: &generator)
        let (key, value) = try #require(try directory.values(ofCache: "artworks").first)
        var old = value
        old[8] = 1
        try directory.put(old, for: key, inCache: "artworks")
        #expect(store.missReason(Sample()) == .formatMismatch(found: 1))
        // The chunks are still what the index says, so that it can be saved whole.
        #expect(editor.apply(model.change(3, using: &generator)))
        store.save(editor.index, for: Sample.step(1).request)
        #expect(store.waitForSaves())
        expectSame(try #require(store.hit(.step(1))), model.plain, using: &generator)
        let entry = try #require(try store.entries(ofCache: "artworks").first)
        #expect(try directory.values(ofCache: "artworks").count == 1 + entry.numberOfChunks)
    }
}
