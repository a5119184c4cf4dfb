import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// The listing of the landing page of `ObjectStorage`.
@Suite struct ObjectStorageListing {
    final class Work: ManagedObject {
        @Attribute var title: String = ""
        @Attribute var language: String = ""
    }

    @Test func `objects are saved and fetched`() throws {
        let directory = try TemporaryDirectory()
        let store = directory.url.appending(path: "works.store")
        let container = try PersistentContainer(url: store, model: ManagedObjectModel(types: Work.self))
        let context = container.newContext()
        for (title, language) in [("Emma", "en"), ("La Peste", "fr")] {
            let work = Work(context: context)
            work.title = title
            work.language = language
        }
        try context.save()
        let works = try context.fetch(FetchRequest<Work>(predicate: \.language == "en"))
        #expect(works.map(\.title) == ["Emma"])
    }
}
