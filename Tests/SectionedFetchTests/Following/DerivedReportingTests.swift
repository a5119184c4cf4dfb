import Foundation
import SectionedFetch
import Testing

final class Label: ManagedObject {
    @Attribute var name: String = ""
    @Attribute(details: .init(derivation: "records.@count")) var recordCount: Int64 = 0
    @Relationship var records: Set<Disc>
}

final class Disc: ManagedObject {
    @Attribute var title: String = ""
    @Attribute(.indexed, details: .init(derivation: "canonical:(title)")) var key: String?
    @Attribute(details: .init(derivation: "label.name")) var labelName: String?
    @Relationship(inverse: \Label.records) var label: Label?
}

/// A delegate that keeps the reports.
private final class DiscReports: FetchedResultsControllerDelegate {
    typealias Object = Disc
    private(set) var reports: [ResultsChange] = []

    func controller(
        _ controller: FetchedResultsController<Disc>, didChangeContentWith change: ResultsChange
    ) { reports.append(change) }
}

/// Lists and caches that read derived attributes.
@Suite struct DerivedReportingTests {
    private let store: TemporaryStore
    private let context: ManagedObjectContext
    private let labels: [Label]
    private let discs: [Disc]

    init() throws {
        store = try TemporaryStore(ManagedObjectModel(types: Label.self, Disc.self))
        context = store.container.newContext()
        let context = context
        labels = ["Decca", "Erato"].map { name in
            let label = Label(context: context)
            label.name = name
            return label
        }
        discs = ["Zoë", "äther", "Bolero", "émile"].map { title in
            let disc = Disc(context: context)
            disc.title = title
            return disc
        }
        for (index, disc) in discs.enumerated() { disc.label = labels[index % 2] }
        try context.save()
    }

    private func controller(in context: ManagedObjectContext) throws -> FetchedResultsController<Disc> {
        try FetchedResultsController(
            fetchRequest: FetchRequest<Disc>(sortDescriptors: [.ascending(\.labelName), .ascending(\.key)]),
            context: context, sectionNameKeyPath: "labelName", cacheName: "discs", cacheStore: store.caches)
    }

    private func lines(_ controller: FetchedResultsController<Disc>) -> [String] {
        controller.sections?.map { section in
            "\(section.name): \(section.objects.map(\.title).joined(separator: ", "))"
        } ?? []
    }

    @Test func `a list by a derived attribute follows a change of the object that it is derived from`() throws
    {
        let controller = try controller(in: context)
        let elsewhere = try self.controller(in: store.container.newContext())
        let delegate = DiscReports()
        controller.delegate = delegate
        try controller.performFetch()
        #expect(lines(controller) == ["Decca: Bolero, Zoë", "Erato: äther, émile"])
        labels[0].name = "Sony"
        try context.save()
        #expect(lines(controller) == ["Erato: äther, émile", "Sony: Bolero, Zoë"])
        discs[2].title = "Žaneta"
        try context.save()
        #expect(lines(controller) == ["Erato: äther, émile", "Sony: Žaneta, Zoë"])
        #expect(!delegate.reports.isEmpty && !delegate.reports.contains(where: \.isReload))
        discs[0].label = labels[1]
        try context.save()
        #expect(lines(controller) == ["Erato: äther, émile, Zoë", "Sony: Žaneta"])
        #expect(labels.map(\.recordCount) == [1, 3])
        try elsewhere.performFetch()
        #expect(lines(elsewhere) == lines(controller))
        #expect(delegate.reports.count == 3, "\(delegate.reports)")
    }

    @Test
    func `a cache by a derived attribute is a hit, and a miss or advanced after a change of its source`()
        throws
    {
        let first = try controller(in: context)
        try first.performFetch()
        store.caches.waitForWrites()
        let second = try controller(in: store.container.newContext())
        try second.performFetch()
        #expect(second.cacheLookup?.isHit == true)
        labels[0].name = "Sony"
        try context.save()
        let third = try controller(in: store.container.newContext())
        try third.performFetch()
        #expect(lines(third) == ["Erato: äther, émile", "Sony: Bolero, Zoë"])
    }
}
