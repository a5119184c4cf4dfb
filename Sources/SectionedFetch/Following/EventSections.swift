/// The sections of one state of the results, in the form that row events have. Each is decoded once.
struct EventSections {
    private let shown: ShownSections
    private var sections: [Int: ResultsChange.Section] = [:]

    init(_ shown: ShownSections) { self.shown = shown }

    /// Returns the section at a position.
    mutating func section(at position: Int) -> ResultsChange.Section {
        if let known = sections[position] { return known }
        let decoded = shown.section(at: position)
        let section = ResultsChange.Section(identity: decoded.identity, name: decoded.name)
        sections[position] = section
        return section
    }
}
