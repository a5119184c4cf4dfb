import Foundation
import SectionedFetch

extension ListWatcher {
    /// Checks that events name the sections, the changed properties and the old values that the states have,
    /// where they are known.
    func checkContents(_ change: ResultsChange, _ old: State, _ new: State) {
        for event in change.rowEvents {
            let sides = [
                (event.indexPath, event.oldSection, old), (event.newIndexPath, event.newSection, new),
            ]
            for (path, section, state) in sides where list.subsection == nil {
                let shown = path.map { state.shown.sections[$0[0]] }
                if shown?.identity != section?.identity || shown?.name != section?.name {
                    fail("\(event) is not in section \(shown?.name ?? "none")")
                }
            }
            // A list that omits some updates does not have a state for every event. Rows that others changed
            // and the context has not merged have the values that their objects showed.
            guard event.kind != .insertion, list.reported == nil, !isExcused(event.row, old, new),
                let before = old.contents[event.row]
            else { continue }
            checkValues(event, before)
            guard !isReplacing, event.kind != .deletion, let now = new.contents[event.row] else { continue }
            checkProperties(event, now.differences(from: before))
        }
        if list.subsection == nil { for event in change.sectionEvents { check(event, old, new) } }
    }

    private func checkValues(_ event: ResultsChange.RowEvent, _ before: RowContent) {
        guard event.oldValues != nil else { return count("unknown values") }
        count("known values")
        for field in WarehouseSchema.Field.allCases {
            if let value = event.oldValue(of: field.attribute), value != before.part[field] {
                fail("\(event.row): \(field) was \(before.part[field]), not \(value)")
            }
        }
        if case .integer(let key)? = event.oldValue(of: "shelf"), key != before.part.target?.unsavedKey {
            fail("\(event.row) was on shelf \(before.part.target.map { "\($0)" } ?? "none"), not \(key)")
        }
        for (position, name) in ["name", "note"].enumerated() {
            if let value = event.oldValue(of: "shelf.\(name)"), value != before.shelf?.values[position] {
                fail("\(event.row): shelf.\(name) was not \(value): \(before.shelf as Any)")
            }
        }
    }

    private func checkProperties(_ event: ResultsChange.RowEvent, _ differing: Set<String>) {
        guard let changed = event.changedProperties else { return count("unknown properties") }
        count("known properties")
        // A change of a relationship counts as one of all properties that are read through it.
        let missing = differing.filter { name in !changed.contains { name == $0 || name.hasPrefix($0 + ".") }
        }
        if !missing.isEmpty {
            fail("\(event.row) differs in \(differing.sorted()), the event has \(changed.sorted())")
        }
    }

    private func check(_ event: ResultsChange.SectionEvent, _ old: State, _ new: State) {
        let before = event.oldPosition.map { old.shown.sections[$0] }
        let now = event.newPosition.map { new.shown.sections[$0] }
        if event.oldNumberOfObjects != before?.rows.count || event.newNumberOfObjects != now?.rows.count {
            fail("\(event) has other numbers of rows: \(before as Any), \(now as Any)")
        }
        if event.oldName != before?.name || event.name != (now ?? before)?.name {
            fail("\(event) has other names: \(before as Any), \(now as Any)")
        }
    }
}
