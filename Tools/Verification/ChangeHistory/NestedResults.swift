import Foundation
package import SectionedFetch

/// Results with nested sections as plain arrays, such as a view would have.
package struct NestedResults: Equatable {
    /// One subsection.
    package struct Subsection: Equatable {
        let identity: [UInt8]
        /// The name of the subsection.
        package var name: String
        /// The identities of its rows.
        package var rows: [ObjectID] = []
    }

    /// One section.
    package struct Section: Equatable {
        let identity: [UInt8]
        /// The name of the section.
        package var name: String
        /// Its subsections in order.
        package var subsections: [Subsection] = []
    }

    /// The sections in order.
    package var sections: [Section] = []

    /// The sections and subsections that a snapshot has.
    ///
    /// - Parameter row: Returns the identity by which a row is compared.
    package init(
        _ snapshot: ResultsSnapshot<some ManagedObject>, row: (ObjectID) -> ObjectID = { $0 }
    ) {
        sections = snapshot.map { section in
            Section(
                identity: section.identity, name: section.name,
                subsections: section.subsections.map {
                    Subsection(identity: $0.identity, name: $0.name, rows: $0.map(row))
                })
        }
    }

    /// Returns the names of sections and subsections, with texts for their rows.
    package func words<Text>(_ text: (ObjectID) -> Text) -> [String] {
        sections.flatMap { section in
            section.subsections.map { "\(section.name)/\($0.name): \($0.rows.map(text))" }
        }
    }

    /// Returns the results with other identities of rows.
    func mapping(_ row: (ObjectID) -> ObjectID) -> NestedResults {
        var results = self
        for section in sections.indices {
            for subsection in sections[section].subsections.indices {
                results.sections[section].subsections[subsection].rows = sections[section]
                    .subsections[subsection].rows.map(row)
            }
        }
        return results
    }

    /// Returns the arrays after a change, from its events alone.
    ///
    /// - Parameter row: Returns the identity by which a row is compared.
    package func applying(
        _ change: ResultsChange, row: (ObjectID) -> ObjectID = { $0 }
    ) -> NestedResults {
        var results = self
        let rows = change.rowEvents.filter { $0.kind == .deletion || $0.kind == .move }
        for path in rows.compactMap(\.indexPath).sorted(by: >) {
            results.sections[path[0]].subsections[path[1]].rows.remove(at: path[2])
        }
        var subsections: [[[UInt8]]: Subsection] = [:]
        let leaving = change.subsectionEvents.filter { $0.kind == .deletion || $0.kind == .move }
        for event in leaving.sorted(by: { ($0.indexPath ?? []) > ($1.indexPath ?? []) }) {
            let path = event.indexPath ?? []
            subsections[[event.sectionIdentity, event.identity]] = results.sections[path[0]].subsections
                .remove(at: path[1])
        }
        var sections: [[UInt8]: Section] = [:]
        let gone = change.sectionEvents.filter { $0.kind == .deletion || $0.kind == .move }
        for event in gone.sorted(by: { ($0.oldPosition ?? 0) > ($1.oldPosition ?? 0) }) {
            sections[event.identity] = results.sections.remove(at: event.oldPosition ?? 0)
        }
        let arriving = change.sectionEvents.filter { $0.kind == .insertion || $0.kind == .move }
        for event in arriving.sorted(by: { ($0.newPosition ?? 0) < ($1.newPosition ?? 0) }) {
            let section =
                event.kind == .move
                ? sections[event.identity] : Section(identity: event.identity, name: event.name)
            if let section { results.sections.insert(section, at: event.newPosition ?? 0) }
        }
        let coming = change.subsectionEvents.filter { $0.kind == .insertion || $0.kind == .move }
        for event in coming.sorted(by: { ($0.newIndexPath ?? []) < ($1.newIndexPath ?? []) }) {
            let path = event.newIndexPath ?? []
            let subsection =
                event.kind == .move
                ? subsections[[event.sectionIdentity, event.identity]]
                : Subsection(identity: event.identity, name: event.name)
            if let subsection { results.sections[path[0]].subsections.insert(subsection, at: path[1]) }
        }
        for event in change.sectionEvents where event.kind == .update {
            results.sections[event.newPosition ?? 0].name = event.name
        }
        for event in change.subsectionEvents where event.kind == .update {
            let path = event.newIndexPath ?? []
            results.sections[path[0]].subsections[path[1]].name = event.name
        }
        let added = change.rowEvents.filter { $0.kind == .insertion || $0.kind == .move }
        for event in added.sorted(by: { ($0.newIndexPath ?? []) < ($1.newIndexPath ?? []) }) {
            let path = event.newIndexPath ?? []
            results.sections[path[0]].subsections[path[1]].rows.insert(row(event.objectID), at: path[2])
        }
        return results
    }
}
