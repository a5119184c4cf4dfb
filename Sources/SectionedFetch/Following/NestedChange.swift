import Foundation
import ObjectStorage
import SectionCaching

/// A change of nested sections, computed from the change of their subsections.
struct NestedChange {
    private let old: ShownSections
    private let new: ShownSections
    /// For each new subsection, the position of the same subsection in the old state.
    private var origins: [Int?] = []
    /// The new positions of subsections that moved among all others.
    private let moved: Set<Int>
    private(set) var sectionEvents: [ResultsChange.SectionEvent] = []
    private(set) var subsectionEvents: [ResultsChange.SubsectionEvent] = []

    /// - Parameter events: The events of subsections, with their positions among all subsections.
    /// - Complexity: O(*s* log *s*) in the number of subsections; O(1) without an event.
    init(_ events: [ResultsChange.SectionEvent], from old: ShownSections, to new: ShownSections) {
        self.old = old
        self.new = new
        moved = Set(events.lazy.filter { $0.kind == .move }.compactMap(\.newPosition))
        guard !events.isEmpty else { return }
        var positions: [[UInt8]: Int] = [:]
        for position in 0..<old.index.numberOfSections {
            positions[old.index.identity(ofSection: position)] = position
        }
        origins = (0..<new.index.numberOfSections).map { positions[new.index.identity(ofSection: $0)] }
        let sections = compareSections()
        compareSubsections(events, sections)
    }

    /// Returns a path of a subsection and a row as a path of a section, a subsection and a row.
    static func path(_ path: IndexPath?, in sections: ShownSections) -> IndexPath? {
        path.map { Self.path(ofSubsection: $0[0], in: sections).appending($0[1]) }
    }

    private static func path(ofSubsection position: Int, in sections: ShownSections) -> IndexPath {
        let section = sections.position(ofSubsection: position)
        return [section, position - sections.subsections(of: section).lowerBound]
    }

    /// Compares the sections, and returns for each new one its old position.
    private mutating func compareSections() -> [Int?] {
        typealias Event = ResultsChange.SectionEvent
        let before = (0..<old.count).map(old.section)
        let now = (0..<new.count).map(new.section)
        var positions: [[UInt8]: Int] = [:]
        for (position, section) in before.enumerated() { positions[section.identity] = position }
        let origins = now.map { positions[$0.identity] }
        let surviving = Set(origins.compactMap(\.self))
        func event(_ kind: ResultsChange.Kind, _ position: Int) -> Event {
            Event(kind, from: origins[position].map { ($0, before[$0]) }, to: (position, now[position]))
        }
        sectionEvents = before.indices.reversed().filter { !surviving.contains($0) }.map {
            Event(.deletion, from: ($0, before[$0]), to: nil)
        }
        sectionEvents += now.indices.filter { origins[$0] == nil }.map { event(.insertion, $0) }
        let staying = now.indices.filter { origins[$0] != nil }
        let isKept = StableOrder.kept(
            staying.compactMap { origins[$0] }, isFixed: staying.map(hasFixedSubsections))
        sectionEvents += zip(staying, isKept).filter { !$1 }.map { event(.move, $0.0) }
        sectionEvents += staying.filter { position in
            origins[position].map { !before[$0].name.hasBytes(of: now[position].name) } ?? false
        }.map { event(.update, $0) }
        return origins
    }

    /// Whether a section has a subsection that existed before and kept its order among all others.
    private func hasFixedSubsections(_ position: Int) -> Bool {
        new.subsections(of: position).contains { origins[$0] != nil && !moved.contains($0) }
    }

    /// - Parameter sections: For each new section, its old position.
    private mutating func compareSubsections(
        _ events: [ResultsChange.SectionEvent], _ sections: [Int?]
    ) {
        for event in events where event.kind == .deletion || event.kind == .insertion {
            subsectionEvents.append(
                subsectionEvent(event.kind, from: event.oldPosition, to: event.newPosition))
        }
        for section in sections.indices where sections[section] != nil {
            let staying = new.subsections(of: section).filter { origins[$0] != nil }
            let isKept = StableOrder.kept(
                staying.compactMap { origins[$0] }, isFixed: staying.map { !moved.contains($0) })
            subsectionEvents += zip(staying, isKept).filter { !$1 }.map { position, _ in
                subsectionEvent(.move, from: origins[position], to: position)
            }
        }
        for event in events where event.kind == .update {
            guard let before = event.oldPosition, let now = event.newPosition,
                !old.subsection(at: before).name.hasBytes(of: new.subsection(at: now).name)
            else { continue }
            subsectionEvents.append(subsectionEvent(.update, from: before, to: now))
        }
    }

    private func subsectionEvent(
        _ kind: ResultsChange.Kind, from before: Int?, to now: Int?
    ) -> ResultsChange.SubsectionEvent {
        let first = before.map(old.subsection)
        let last = now.map(new.subsection)
        let section =
            now.map { new.section(at: new.position(ofSubsection: $0)) }
            ?? before.map { old.section(at: old.position(ofSubsection: $0)) }
        return ResultsChange.SubsectionEvent(
            kind: kind, sectionIdentity: section?.identity ?? [],
            identity: (last ?? first)?.identity ?? [], name: (last ?? first)?.name ?? "",
            oldName: first?.name, indexTitle: (last ?? first)?.indexTitle ?? "",
            indexPath: before.map { Self.path(ofSubsection: $0, in: old) },
            newIndexPath: now.map { Self.path(ofSubsection: $0, in: new) },
            oldNumberOfObjects: first?.rows.count, newNumberOfObjects: last?.rows.count)
    }
}
