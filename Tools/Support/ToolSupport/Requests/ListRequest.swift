package import SectionedFetch

/// A request that is built at run time, with its section key.
package struct ListRequest: Sendable {
    /// The objects and their order.
    package var fetchRequest: FetchRequest<ManagedObject>
    /// The section key, or nil for one section.
    package let sectionKey: SectionKey?
    /// The key parts of sections, several if they are combined; empty for one section.
    package let groups: [SectionKey]
    /// The key of subsections, or nil for sections of one level.
    package let subgroup: SectionKey?

    /// Creates a request with a section key of one level.
    package init(fetchRequest: FetchRequest<ManagedObject>, sectionKey: SectionKey?) {
        self.fetchRequest = fetchRequest
        self.sectionKey = sectionKey
        groups = sectionKey.map { [$0] } ?? []
        subgroup = nil
    }

    /// Creates a request with the section key of command-line options.
    init(fetchRequest: FetchRequest<ManagedObject>, key: SectionKeySyntax?) {
        self.fetchRequest = fetchRequest
        groups = key?.groups ?? []
        subgroup = key?.subgroup
        sectionKey = key?.sectionKey
    }

    /// Returns the description of the request with dates, Boolean values and UUIDs as they are written in
    /// conditions.
    package func shownSummary(_ model: ManagedObjectModel) -> String {
        let conversion = LiteralConversion(
            entityName: fetchRequest.entityName, model: model, to: .written)
        guard let tree = fetchRequest.predicate?.tree, let written = try? conversion.converted(tree) else {
            return summary
        }
        var list = self
        list.fetchRequest.predicate = FetchRequest<ManagedObject>.Predicate(written)
        return list.summary
    }

    /// A description of the request, with values as they are stored.
    package var summary: String {
        guard let sectionKey else { return "\(fetchRequest.description), in one section" }
        guard let subgroup, let group = groups.first else {
            return "\(fetchRequest.description), in sections by \(sectionKey)"
        }
        return "\(fetchRequest.description), in sections by \(group) with subsections by \(subgroup)"
    }
}
