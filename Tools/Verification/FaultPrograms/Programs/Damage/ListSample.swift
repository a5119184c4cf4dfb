import SectionCaching
import CheckSupport

/// An entry of a cache whose rows may take several chunks, and what it must answer with.
struct ListSample {
    private(set) var sample: CacheSample
    /// The rows of each section.
    private(set) var rows: [[Int64]]

    /// Random IDs of eight bytes each, so that few rows make a second chunk.
    init(
        name: CacheName, number: Int, rowCount: Int, sectionCount: Int, using generator: inout SeededGenerator
    ) {
        sample = CacheSample(name: name, number: number)
        sample.parts["window"] = "\(number)"
        rows = (0..<sectionCount).map { section in
            let count = rowCount * (section + 1) / sectionCount - rowCount * section / sectionCount
            return (0..<count).map { _ in Int64(bitPattern: generator.next()) }
        }
    }

    var request: SectionCacheRequest { sample.request }
    var rowCount: Int { rows.reduce(0) { $0 + $1.count } }

    var index: SectionIndex {
        var builder = SectionIndex.Builder()
        for (position, rows) in rows.enumerated() {
            builder.beginSection(
                identity: identity(of: position), name: "section \(position)", indexTitle: "\(position % 10)")
            for row in rows { builder.append(row) }
        }
        return builder.finish()
    }

    private func identity(of section: Int) -> [UInt8] { Array("\(sample.number)/\(section)".utf8) }

    /// The same rows under another request, name, state or key.
    func with(_ change: (inout CacheSample) -> Void) -> ListSample {
        var list = self
        change(&list.sample)
        return list
    }

    /// Other data of the same request: one row is another, and the state of a table.
    mutating func change(using generator: inout SeededGenerator) {
        sample.states["Artwork", default: 0] &+= 1
        guard let section = rows.indices.filter({ !rows[$0].isEmpty }).randomElement(using: &generator) else {
            return
        }
        rows[section][rows[section].count / 2] = Int64(bitPattern: generator.next())
    }
}

extension ListSample {
    /// What a look-up gave that is not wrong.
    enum Answer {
        case whole
        /// All sections are right, some rows cannot be had any more.
        case partial
        case miss(MissReason)

        var isWhole: Bool { if case .whole = self { true } else { false } }
    }

    /// Compares an answer with what the entry was made of.
    ///
    /// - Throws: ``FaultFinding`` for a wrong answer.
    func answer(of store: SectionCacheStore) throws -> Answer {
        switch store.lookUp(request) {
        case .miss(let reason): return .miss(reason)
        case .advanced: throw FaultFinding("a look-up advanced an entry")
        case .hit(let index):
            guard index.numberOfSections == rows.count, index.numberOfRows == rowCount else {
                throw FaultFinding(
                    "list \(sample.number) has \(index.numberOfRows) rows in \(index.numberOfSections) sections"
                )
            }
            var isWhole = true
            var first = 0
            for (position, rows) in rows.enumerated() {
                let section = index.section(at: position)
                guard section.identity == identity(of: position), section.name == "section \(position)",
                    section.indexTitle == "\(position % 10)", section.rows == first..<first + rows.count
                else { throw FaultFinding("list \(sample.number): section \(position) is \(section)") }
                first += rows.count
                guard let found = index.rowIDs(in: section.rows) else {
                    isWhole = false
                    continue
                }
                guard found == rows else {
                    throw FaultFinding("list \(sample.number): section \(position) has other rows")
                }
            }
            return isWhole ? .whole : .partial
        }
    }

    /// Saves it, and waits until that is done.
    func save(in store: SectionCacheStore) throws {
        store.save(index, for: request)
        guard store.waitForSaves(upTo: 20) else { throw FaultFinding("a save does not end") }
    }

    /// Sees to it that it is saved, as a program does that computes what it does not find.
    ///
    /// - Parameter attempts: How many saves it may take: the first may find damage that reading does not
    ///   notice, and then only gets the file replaced.
    /// - Throws: ``FaultFinding`` if it cannot be found afterwards.
    func rebuild(in store: SectionCacheStore, attempts: Int = 2) throws {
        for _ in 0..<attempts {
            if try answer(of: store).isWhole { return }
            try save(in: store)
        }
        let answer = try answer(of: store)
        guard answer.isWhole else {
            let problem = store.lastProblem.map(String.init(describing:)) ?? "no problem"
            throw FaultFinding(
                "list \(sample.number) is not found after it was saved: \(answer), \(problem) recorded")
        }
    }
}
