import SectionCaching
import CheckSupport

/// A cache entry whose rows may need several chunks, and the answer that it must give.
struct ListSample {
    private(set) var sample: CacheSample
    /// The rows of each section.
    private(set) var rows: [[Int64]]

    /// Creates an entry with random IDs of eight bytes each, so that few rows need a second chunk.
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

    /// Returns the same rows with another request, name, version stamp or key.
    func with(_ change: (inout CacheSample) -> Void) -> ListSample {
        var list = self
        change(&list.sample)
        return list
    }

    /// Changes the data of the request: one row, and the version stamp of a table.
    mutating func change(using generator: inout SeededGenerator) {
        sample.states["Artwork", default: 0] &+= 1
        guard let section = rows.indices.filter({ !rows[$0].isEmpty }).randomElement(using: &generator) else {
            return
        }
        rows[section][rows[section].count / 2] = Int64(bitPattern: generator.next())
    }
}

extension ListSample {
    /// The answer of a look-up that is not wrong.
    enum Answer {
        case whole
        /// All sections are right, but some rows are lost.
        case partial
        case miss(MissReason)

        var isWhole: Bool { if case .whole = self { true } else { false } }
    }

    /// Looks up the entry and compares the answer with its contents.
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
                    throw FaultFinding("list \(sample.number): section \(position) has different rows")
                }
            }
            return isWhole ? .whole : .partial
        }
    }

    /// Saves the entry and waits until it is saved.
    func save(in store: SectionCacheStore) throws {
        store.save(index, for: request)
        guard store.waitForWrites(upTo: 20) else { throw FaultFinding("a save to the cache does not end") }
    }

    /// Saves the entry if a look-up does not find it whole, as a program does.
    ///
    /// - Parameter attempts: The greatest number of saves. The first save may detect damage that reading does
    ///   not detect; it then only replaces the file.
    /// - Throws: ``FaultFinding`` if a look-up still does not find the entry.
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
