import Foundation
import SectionCaching
import CheckSupport

/// The data file of a cache directory with a history: several names, small and large entries, free pages,
/// older copies of pages, and chunks out of order and retired.
struct SoundCache {
    let folder: URL
    let data: [UInt8]
    let lists: [ListSample]
    /// A list that the file does not contain.
    let fresh: ListSample

    /// Creates the data file.
    ///
    /// - Parameter folder: The folder for the file and for the directories of the trials.
    init(in folder: URL, using generator: inout SeededGenerator) throws {
        self.folder = folder
        var lists: [ListSample] = []
        for (number, size) in [(0, 0), (1, 1), (300, 40), (4_300, 7)].enumerated() {
            lists.append(
                ListSample(
                    name: number % 2 == 0 ? "even" : "odd", number: number, rowCount: size.0,
                    sectionCount: size.1, using: &generator))
        }
        fresh = ListSample(name: "even", number: 9, rowCount: 500, sectionCount: 2, using: &generator)
        let cache = try CacheFolder(folder.appending(path: "sound"), data: nil)
        let store = cache.store
        for _ in 0..<2 { for list in lists { try list.save(in: store) } }
        for _ in 0..<3 {
            for number in lists.indices { try Self.advance(&lists[number], in: store, using: &generator) }
        }
        for list in lists where try !list.answer(of: store).isWhole {
            throw FaultFinding("list \(list.sample.number) is not found in an undamaged file")
        }
        self.lists = lists
        data = try cache.contents()
    }

    /// Changes one row, in the list and in the stored entry.
    private static func advance(
        _ list: inout ListSample, in store: SectionCacheStore, using generator: inout SeededGenerator
    ) throws {
        guard case .hit(let index) = store.lookUp(list.request) else {
            throw FaultFinding("list \(list.sample.number) was not saved")
        }
        let editor = SectionIndexEditor(index)
        let previous = list.rows
        list.change(using: &generator)
        var edit = SectionIndexEdit()
        var position = 0
        for (section, rows) in list.rows.enumerated() {
            for (row, id) in rows.enumerated() {
                if id != previous[section][row] {
                    edit.removedRows.append(position)
                    edit.insertedRows.append(.init(id: id, position: position, section: section))
                }
                position += 1
            }
        }
        guard editor.apply(edit) else { throw FaultFinding("the index editor rejects an edit") }
        store.save(editor.index, for: list.request)
        guard store.waitForWrites(upTo: 20) else { throw FaultFinding("a save to the cache does not end") }
    }

    /// Uses a data file as programs do: looks up all entries, saves a new one, looks it up, and deletes all.
    ///
    /// - Parameters:
    ///   - number: The number of the trial.
    ///   - states: The states of the lists whose entries may be found; those of the file by default.
    ///   - rebuildsAll: Whether to save all lists, not only a new one. A saved list must still be found after
    ///     later saves.
    /// - Returns: ``FaultOutcome/right`` if all lists of one state were found, otherwise
    ///   ``FaultOutcome/missed``.
    func use(
        _ data: [UInt8], trial number: Int, states: [[ListSample]]? = nil, rebuildsAll: Bool = false
    ) throws -> FaultOutcome {
        let cache = try CacheFolder(folder.appending(path: "trial-\(number)"), data: data)
        let store = cache.store
        var outcome = FaultOutcome.missed
        for state in states ?? [lists] {
            let answers = try state.map { try $0.answer(of: store) }
            if answers.allSatisfy(\.isWhole) { outcome = .right }
        }
        try fresh.rebuild(in: store)
        if rebuildsAll {
            for _ in 0..<3 { for list in lists { try list.save(in: store) } }
            for list in lists + [fresh] where try !list.answer(of: store).isWhole {
                throw FaultFinding("list \(list.sample.number) was lost after it was saved")
            }
        }
        // Reads the entries as the inspector does. An error for an unreadable file is expected.
        if let names = try? store.cacheNames() {
            for name in names { _ = try? store.entries(ofCache: name) }
        }
        store.deleteAllCaches()
        guard store.waitForWrites(upTo: 20) else { throw FaultFinding("a deletion does not end") }
        if case .whole = try fresh.answer(of: store) {
            throw FaultFinding("a cache is found after it was deleted")
        }
        try cache.remove()
        return outcome
    }
}
