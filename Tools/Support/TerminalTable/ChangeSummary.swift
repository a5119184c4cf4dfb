package import SectionedFetch
import ToolSupport

/// The summary of a change: `+3 rows, 1 moved, section “B” inserted`.
package enum ChangeSummary {
    /// The largest number of sections that are named for each kind of change.
    private static let maximumNames = 2
    /// The width beyond which a section's name is shortened, in columns.
    private static let maximumNameWidth = 20

    /// Returns the summary of a change, with the most important part first.
    package static func text(_ change: ResultsChange) -> String {
        guard !change.isReload else { return "everything was read again" }
        var parts: [String] = []
        func count(_ kind: ResultsChange.Kind) -> Int { change.rowEvents.count { $0.kind == kind } }
        let (inserted, deleted) = (count(.insertion), count(.deletion))
        if inserted > 0 { parts.append("+\(Quantity.count(inserted, "row"))") }
        if deleted > 0 { parts.append("−\(Quantity.count(deleted, "row"))") }
        for (kind, word) in [(ResultsChange.Kind.move, "moved"), (.update, "updated")] {
            let number = count(kind)
            if number > 0 { parts.append("\(Quantity.count(number)) \(word)") }
        }
        let words: [(ResultsChange.Kind, String)] = [
            (.insertion, "inserted"), (.deletion, "deleted"), (.move, "moved"), (.update, "renamed"),
        ]
        for (kind, word) in words { parts += sections(change.sectionEvents.filter { $0.kind == kind }, word) }
        return parts.joined(separator: ", ")
    }

    private static func sections(_ events: [ResultsChange.SectionEvent], _ word: String) -> [String] {
        guard events.count <= maximumNames else {
            return ["\(Quantity.count(events.count)) sections \(word)"]
        }
        return events.map { event in
            let name = TerminalText.shortened(TerminalText.escaped(event.name), to: maximumNameWidth)
            return "section “\(name)” \(word)"
        }
    }
}
