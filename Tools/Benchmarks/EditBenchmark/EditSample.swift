import BenchmarkSupport
import Foundation
import SectionCaching

/// An index of consecutive IDs in random order, and its measurements.
struct EditSample {
    let index: SectionIndex
    private let rowIDs: [Int64]

    init(rows: Int, sections: Int) {
        var builder = SectionIndex.Builder()
        rowIDs = (0..<Int64(rows)).shuffled()
        for section in 0..<sections {
            builder.beginSection(
                identity: Array("\(section)".utf8), name: "Section \(section)", indexTitle: "\(section % 10)")
            for row in rows * section / sections..<rows * (section + 1) / sections {
                builder.append(rowIDs[row])
            }
        }
        index = builder.finish()
    }

    /// Measures the first search for few rows, the first for many rows, and later searches.
    func measureFinding(_ title: String, _ index: @autoclosure () -> SectionIndex) {
        let few = Array(rowIDs.shuffled().prefix(100)) + [-1]
        let many = Array(rowIDs.shuffled().prefix(1_000))
        report(
            "\(title): the first search, for 100 rows", samples: 9, prepare: { SectionIndexEditor(index()) }
        ) {
            $0.positions(of: few)
        }
        report(
            "\(title): the first search, for 1,000 rows", samples: 9, prepare: { SectionIndexEditor(index()) }
        ) {
            $0.positions(of: many)
        }
        let editor = SectionIndexEditor(index())
        _ = editor.positions(of: many)
        report(
            "\(title): a later search, for 1 row", samples: 1_001,
            prepare: { [rowIDs[.random(in: rowIDs.indices)]] }
        ) {
            editor.positions(of: $0)
        }
        report(
            "\(title): a later search, for 1,000 rows", samples: 51,
            prepare: { Array(rowIDs.shuffled().prefix(1_000)) }
        ) {
            editor.positions(of: $0)
        }
    }

    /// Measures successive edits, with the position map that each edit updates.
    func measureEdits(_ title: String) {
        let editor = SectionIndexEditor(index)
        for _ in 0..<2 { _ = editor.positions(of: [0]) }
        for count in [1, 1_000] {
            report(
                "\(title): an edit that replaces \(count.grouped) scattered \(count == 1 ? "row" : "rows")",
                samples: count == 1 ? 501 : 31, prepare: { edit(of: editor.index, count) }
            ) { editor.apply($0) }
        }
    }

    /// Measures saves and look-ups of the entry, with the number of bytes written and the time on the writing
    /// thread.
    func measureCache(_ folder: URL) throws {
        let store = SectionCacheStore(directory: folder.appending(path: "caches"))
        var step = 0
        func save(_ index: SectionIndex, _ title: String, samples: Int, editing count: Int?) {
            let editor = SectionIndexEditor(index)
            let before = store.writtenByteCount
            report(title, samples: samples) {
                if let count { _ = editor.apply(edit(of: editor.index, count)) }
                step += 1
            } measured: {
                store.save(editor.index, for: request(step))
                store.waitForWrites(upTo: 60)
            }
            print("    \(((store.writtenByteCount - before) / samples).grouped) bytes each")
        }
        save(index, "a full save", samples: 5, editing: nil)
        guard case .hit(let cached) = store.lookUp(request(step)) else {
            throw BenchmarkError("The look-up misses the saved entry.")
        }
        measureFinding("in a cache", cached)
        for count in [1, 100, 1_000] {
            guard case .hit(let cached) = store.lookUp(request(step)) else {
                throw BenchmarkError("The look-up misses the saved entry.")
            }
            save(cached, "an advance by \(count.grouped) scattered rows", samples: 15, editing: count)
        }
        report("a look-up", samples: 101) {
        } measured: {
            store.lookUp(request(step))
        }
    }

    /// Returns an edit that replaces random rows, each with itself at its own position.
    private func edit(of index: SectionIndex, _ count: Int) -> SectionIndexEdit {
        var edit = SectionIndexEdit()
        let positions = Set((0..<count).map { _ in Int.random(in: 0..<index.numberOfRows) }).sorted()
        for position in positions {
            guard let id = index.rowIDs(in: position..<position + 1)?.first else { continue }
            edit.removedRows.append(position)
            edit.insertedRows.append(
                .init(id: id, position: position, section: index.sectionPosition(containing: position)))
        }
        return edit
    }

    private func request(_ step: Int) -> SectionCacheRequest {
        let state = withUnsafeBytes(of: step.littleEndian) { Array($0) }
        return SectionCacheRequest(
            name: "edits", request: CanonicalRequest(parts: [.init(name: "entity", bytes: [1])]),
            token: StoreToken(
                storeIdentity: Array(repeating: 1, count: 16), schemaDigest: [],
                dependencies: [.init(name: "table", state: state)]),
            authenticationKey: Array(repeating: 2, count: 32))
    }

    /// Measures a closure a number of times, each after a preparation that is not measured, and prints the
    /// times.
    private func report<Input, Output>(
        _ title: String, samples: Int, prepare: () -> Input, measured: (Input) -> Output
    ) {
        var microseconds: [Double] = []
        for _ in 0..<samples {
            let input = prepare()
            let watch = Stopwatch()
            _ = measured(input)
            microseconds.append(Double(watch.elapsed) / 1_000)
        }
        print("\(title): \(Spread(microseconds)) µs")
    }
}
