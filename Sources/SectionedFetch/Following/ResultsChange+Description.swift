import Foundation

// The descriptions name the kind, the subject and the positions of an event. Their form is not part of the
// public API.

extension ResultsChange: CustomStringConvertible {
    /// The events as text, one in each line.
    ///
    /// - Complexity: O(*n*) in the number of events.
    public var description: String {
        let lines = events.map(\.description)
        return (isReload ? ["reload of all sections"] + lines : lines).joined(separator: "\n")
    }
}

extension ResultsChange.Event: CustomStringConvertible {
    /// The event as text: `insertion of Song/3 at [0, 1]`.
    public var description: String {
        switch self {
        case .section(let event): event.description
        case .subsection(let event): event.description
        case .row(let event): event.description
        }
    }
}

extension ResultsChange.SectionEvent: CustomStringConvertible {
    /// The event as text: `insertion of section “German” at 0`.
    public var description: String {
        let positions = ResultsChange.positions(
            kind, oldPosition.map(String.init), newPosition.map(String.init))
        return "\(kind) of section “\(name)” \(positions)" + ResultsChange.formerName(oldName, of: name)
    }
}

extension ResultsChange.SubsectionEvent: CustomStringConvertible {
    /// The event as text: `insertion of subsection “1995” at [0, 2]`.
    public var description: String {
        let positions = ResultsChange.positions(
            kind, indexPath.map(ResultsChange.text), newIndexPath.map(ResultsChange.text))
        return "\(kind) of subsection “\(name)” \(positions)" + ResultsChange.formerName(oldName, of: name)
    }
}

extension ResultsChange.RowEvent: CustomStringConvertible {
    /// The event as text: `move of Song/3 from [0, 1] to [2, 0] (artist, title)`. The properties that changed
    /// are in parentheses, if they are known.
    public var description: String {
        let positions = ResultsChange.positions(
            kind, indexPath.map(ResultsChange.text), newIndexPath.map(ResultsChange.text))
        let properties = (kind == .deletion ? nil : changedProperties) ?? []
        return "\(kind) of \(objectID) \(positions)"
            + (properties.isEmpty ? "" : " (\(properties.sorted().joined(separator: ", ")))")
    }
}

extension ResultsChange {
    /// Returns an index path as text: `[0, 1]`.
    fileprivate static func text(_ path: IndexPath) -> String { "\(Array(path))" }

    /// Returns the positions of an event as text. An update that other events shift has two positions.
    fileprivate static func positions(_ kind: Kind, _ old: String?, _ new: String?) -> String {
        guard let old, let new, kind == .move || old != new else { return "at \(new ?? old ?? "")" }
        return "from \(old) to \(new)"
    }

    /// Returns the end of the description of an event with another name than before.
    fileprivate static func formerName(_ oldName: String?, of name: String) -> String {
        guard let oldName, oldName != name else { return "" }
        return ", formerly “\(oldName)”"
    }
}
