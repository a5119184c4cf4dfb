import Foundation

/// The index titles at the right side of a table, for jumping to sections.
package struct IndexBar: Sendable {
    /// An index title on the screen.
    package struct Entry: Hashable, Sendable {
        /// The title.
        package let title: String
        /// Whether the section at the top of the screen has this title, or a title after it that is not shown
        /// for lack of lines.
        package let isCurrent: Bool
    }

    /// The titles, each once, in the order of the sections.
    package let titles: [String]
    /// For each title, the position of the first section that has it.
    private let sections: [Int]
    /// For each section, the position of its title, or of the last title before it.
    private let positions: [Int]

    /// Creates a bar from the index titles of all sections.
    package init(titlesOfSections: some Sequence<String>) {
        var titles: [String] = []
        var sections: [Int] = []
        var positions: [Int] = []
        var known: [String: Int] = [:]
        for (section, title) in titlesOfSections.enumerated() {
            if !title.isEmpty, known[title] == nil {
                known[title] = titles.count
                titles.append(title)
                sections.append(section)
            }
            positions.append(known[title] ?? max(0, titles.count - 1))
        }
        self.titles = titles
        self.sections = sections
        self.positions = positions
    }

    /// Returns the entries to show on a number of lines: all titles, or an evenly spaced selection if the
    /// lines do not suffice.
    ///
    /// - Parameters:
    ///   - height: The number of lines.
    ///   - section: The section at the top of the screen.
    package func entries(height: Int, currentSection section: Int?) -> [Entry] {
        guard !titles.isEmpty, height > 0 else { return [] }
        let current = section.flatMap { positions.indices.contains($0) ? positions[$0] : nil }
        let count = min(height, titles.count)
        let shown =
            count == titles.count
            ? Array(titles.indices)
            : (0..<count).map { $0 * (titles.count - 1) / max(1, count - 1) }
        let marked = current.flatMap { current in shown.lastIndex { $0 <= current } }
        return shown.enumerated().map { line, position in
            Entry(title: titles[position], isCurrent: line == marked)
        }
    }

    /// Returns the first section with a title, or nil if no section has it. Case and diacritics are ignored
    /// unless titles differ only in them.
    package func section(titled title: String) -> Int? {
        let position =
            titles.firstIndex(of: title)
            ?? titles.firstIndex { $0.compare(title, options: .caseInsensitive) == .orderedSame }
            ?? titles.firstIndex {
                $0.compare(title, options: [.caseInsensitive, .diacriticInsensitive]) == .orderedSame
            }
        return position.map { sections[$0] }
    }
}
