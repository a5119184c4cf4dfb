import Foundation
import SectionedFetch

final class Work: ManagedObject {
    @Attribute var title: String = ""
    @Attribute var language: String = ""
}

func listWorks(in store: URL, caches: SectionCacheStore = .default) throws -> FetchedResultsController<Work> {
    let container = try PersistentContainer(url: store, model: ManagedObjectModel(types: Work.self))
    let request = FetchRequest<Work>(sortDescriptors: [.ascending(\.language), .ascending(\.title)])
    let controller = try FetchedResultsController(
        fetchRequest: request, context: container.newContext(),
        sectionNameKeyPath: "language", cacheName: "works by language", cacheStore: caches)
    try controller.performFetch()
    controller.sections?.forEach { section in
        print(section.name, section.numberOfObjects, section.objects.first?.title ?? "")
    }
    return controller  // controller.cacheLookup says: hit, or miss and why
}
