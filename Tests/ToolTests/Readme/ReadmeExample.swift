import Foundation
import SectionedFetch

final class Work: ManagedObject {
    @Attribute var title: String = ""
    @Attribute var language: String = ""
}

/// The works of a store in sections by language.
final class WorkList: FetchedResultsControllerDelegate {
    let controller: FetchedResultsController<Work>

    init(store: URL, caches: SectionCacheStore = .default) throws {
        let container = try PersistentContainer(url: store, model: ManagedObjectModel(types: Work.self))
        let request = FetchRequest<Work>(sortDescriptors: [.ascending(\.language), .ascending(\.title)])
        controller = try FetchedResultsController(
            fetchRequest: request, context: container.newContext(),
            sectionNameKeyPath: "language", cacheName: "works by language", cacheStore: caches)
        controller.delegate = self
        try controller.performFetch()  // controller.cacheLookup: hit, or miss and why
    }

    func add(_ title: String, in language: String) throws {
        let work = Work(context: controller.managedObjectContext)
        work.title = title
        work.language = language
        try controller.managedObjectContext.save()  // reported to the delegate
    }

    func show() {
        controller.sections?.forEach { section in
            print(section.name, section.numberOfObjects, section.objects.first?.title ?? "")
        }
    }

    func controller(
        _ controller: FetchedResultsController<Work>, didChangeContentWith change: ResultsChange
    ) {
        for event in change.events { print(event) }
    }
}
