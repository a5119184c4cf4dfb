import SectionCaching
import CheckSupport
import Testing

struct EditingTests {
    /// The origin of the edited index: computed, looked up, or looked up after its entry was advanced.
    enum Base: CaseIterable { case memory, cache, advanced }

    @Test(arguments: Base.allCases, [1, 3, 16, 60])
    func `after any edits an index equals the arrays, and so does each earlier index`(
        base: Base, rowsPerChunk: Int
    ) throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        for spacing in [1, 1_000_003] as [Int64] {
            let directory = try CacheFixture()
            let store = directory.store()
            let plain = PlainIndex.distinct(rows: 700, sections: 12, spacing: spacing, using: &generator)
            var model = EditedPlainIndex(plain)
            var index = plain.build()
            if base != .memory {
                store.save(plain.build(rowsPerChunk: rowsPerChunk), for: Sample().request)
                #expect(store.waitForWrites())
                index = try #require(store.hit(Sample()))
            }
            if base == .advanced {
                let editor = SectionIndexEditor(index)
                #expect(editor.apply(model.change(20, using: &generator)))
                store.save(editor.index, for: Sample.step(1).request)
                #expect(store.waitForWrites())
                index = try #require(store.hit(.step(1)))
            }
            let editor = SectionIndexEditor(index, rowsPerChunk: rowsPerChunk)
            var history = [(index, model.plain)]
            for step in 0..<50 {
                let size = [0, 1, 1, 2, 10, 80].randomElement(using: &generator) ?? 1
                try #require(editor.apply(model.change(size, using: &generator)), "step \(step)")
                history.append((editor.index, model.plain))
                if step % 3 == 0 { expectPositions(editor, model.plain, using: &generator) }
                let (index, plain) = try #require(history.randomElement(using: &generator))
                expectSame(index, plain, using: &generator)
            }
            for (index, plain) in history { expectSame(index, plain, using: &generator) }
        }
    }

    /// Compares positions with a search of the array, for few and for many rows, with absent and repeated
    /// IDs.
    private func expectPositions(
        _ editor: SectionIndexEditor, _ plain: PlainIndex, using generator: inout SeededGenerator
    ) {
        let rowIDs = plain.rowIDs
        let expected = Dictionary(uniqueKeysWithValues: rowIDs.enumerated().map { ($1, $0) })
        for count in [1, 5, 300] {
            var wanted = (0..<count).compactMap { _ in rowIDs.randomElement(using: &generator) }
            wanted += [.min, .max, -1, 0, 5_000]
            wanted.shuffle(using: &generator)
            #expect(editor.positions(of: wanted) == wanted.map { expected[$0] })
        }
        for rowID in rowIDs.prefix(3) + [.min] {
            #expect(
                editor.index.position(ofRowID: rowID)
                    == expected[rowID].map(SectionIndex.RowPosition.found) ?? .absent)
        }
        for section in plain.sections {
            #expect(
                editor.index.firstSectionPosition(identity: section.identity)
                    == plain.sections.firstIndex { $0.identity == section.identity })
        }
        #expect(editor.index.firstSectionPosition(identity: Array("absent".utf8)) == nil)
    }

    @Test func `few rows are found without a map, and all rows with one`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        for spacing in [1, -3, 1_000_003] as [Int64] {
            let plain = PlainIndex.distinct(rows: 30_000, sections: 5, spacing: spacing, using: &generator)
            let rowIDs = plain.rowIDs
            let editor = SectionIndexEditor(plain.build())
            let few = rowIDs.indices.shuffled(using: &generator).prefix(200)
            #expect(editor.positions(of: few.map { rowIDs[$0] }) == Array(few))
            let all = rowIDs.indices.shuffled(using: &generator)
            #expect(editor.positions(of: all.map { rowIDs[$0] }) == all)
        }
    }

    @Test func `IDs out of order are found, and so are the largest IDs`() throws {
        let plain = PlainIndex(sections: [
            .init(
                identity: [1], name: "all", title: "a", rowIDs: Array(0..<1_000) + [.max - 1, .max])
        ])
        let editor = SectionIndexEditor(plain.build())
        func insert(_ id: Int64) {
            var edit = SectionIndexEdit()
            edit.insertedRows = [.init(id: id, position: editor.index.numberOfRows, section: 0)]
            #expect(editor.apply(edit))
        }
        // The first search makes no map, the second does.
        for _ in 0..<2 { #expect(editor.positions(of: [.max, 3]) == [1_001, 3]) }
        for id in [5_000, 2_000, 3_500, 4_500, 1_500, 9_000] as [Int64] { insert(id) }
        #expect(editor.positions(of: [5_000, 2_000, 9_000, 1_500]) == [1_002, 1_003, 1_007, 1_006])
        let highest = SectionIndexEditor(
            PlainIndex(sections: [.init(identity: [1], name: "all", title: "a", rowIDs: [.max])]).build())
        for _ in 0..<2 { #expect(highest.positions(of: [.max, .min]) == [0, nil]) }
    }

    @Test func `an empty edit and an empty index are edited correctly`() throws {
        var generator = SeededGenerator(seed: 61)
        let empty = PlainIndex(sections: [])
        let editor = SectionIndexEditor(empty.build())
        #expect(editor.positions(of: [1, 2]) == [nil, nil])
        #expect(editor.apply(SectionIndexEdit()))
        expectSame(editor.index, empty, using: &generator)
        let filled = PlainIndex.distinct(rows: 40, sections: 3, spacing: 7, using: &generator)
        #expect(editor.apply(EditedPlainIndex.edit(from: empty, to: filled)))
        expectSame(editor.index, filled, using: &generator)
        #expect(editor.apply(EditedPlainIndex.edit(from: filled, to: empty)))
        expectSame(editor.index, empty, using: &generator)
    }

    @Test func `rows that an edit touched can be read from the earlier index after the cache is deleted`()
        throws
    {
        var generator = SeededGenerator(seed: 62)
        let directory = try CacheFixture()
        let store = directory.store()
        let plain = PlainIndex.distinct(rows: 400, sections: 4, spacing: 1, using: &generator)
        store.save(plain.build(rowsPerChunk: 20), for: Sample().request)
        #expect(store.waitForWrites())
        let index = try #require(store.hit(Sample()))
        let editor = SectionIndexEditor(index)
        var edit = SectionIndexEdit()
        edit.removedRows = [45]
        #expect(editor.apply(edit))
        store.deleteCache(named: "artworks")
        #expect(store.waitForWrites())
        for index in [index, editor.index] {
            #expect(index.rowIDs(in: 0..<5) == nil)
            #expect(index.rowIDs(in: 30..<50) == nil)
        }
        #expect(index.rowIDs(in: 40..<60) == Array(plain.rowIDs[40..<60]))
        #expect(editor.index.rowIDs(in: 40..<59) == Array(plain.rowIDs[40..<45] + plain.rowIDs[46..<60]))
        #expect(editor.positions(of: [plain.rowIDs[0]]) == nil)
        edit.removedRows = [0]
        #expect(!editor.apply(edit))
        #expect(editor.index.numberOfRows == 399)
        // An index with lost rows cannot be saved, which is a problem but no crash.
        store.save(editor.index, for: Sample().request)
        #expect(store.waitForWrites())
        #expect(store.missReason(Sample()) == .absent)
        #expect("\(String(describing: store.lastProblem))".contains("no longer stored"))
    }
}

extension PlainIndex {
    /// Returns random sections whose IDs are all different, as in the index of a request.
    static func distinct(
        rows: Int, sections: Int, spacing: Int64, using generator: inout SeededGenerator
    ) -> PlainIndex {
        var plain = random(rows: rows, sections: sections, ids: .dense, using: &generator)
        // IDs that are not dense are far apart, and on both sides of zero.
        let shift: Int64 = spacing == 1 ? 0 : Int64(rows) / 2
        for section in plain.sections.indices {
            plain.sections[section].rowIDs = plain.sections[section].rowIDs.map { ($0 - shift) * spacing }
        }
        return plain
    }

    /// Builds the index with this many rows in a chunk, so that few rows make many chunks.
    func build(rowsPerChunk: Int) -> SectionIndex {
        let editor = SectionIndexEditor(build(), rowsPerChunk: rowsPerChunk)
        #expect(editor.apply(SectionIndexEdit()))
        return editor.index
    }
}

extension Sample {
    /// Returns the sample with the token of a later state of the data.
    static func step(_ number: Int) -> Sample {
        Sample().with {
            $0.states["Artwork"] = UInt8(truncatingIfNeeded: 4 + number)
            $0.states["Artist"] = UInt8(truncatingIfNeeded: 3 + number >> 8)
        }
    }
}
