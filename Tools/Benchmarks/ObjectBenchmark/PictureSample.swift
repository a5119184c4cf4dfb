import BenchmarkSupport
import Foundation
import SectionedFetch

/// An entity with pictures in its rows, where every fetch reads them.
final class PictureInside: ManagedObject, Named {
    @Attribute var name: String = ""
    @Attribute var image: Data?
}

/// An entity with pictures outside its rows, which are read on access.
final class PictureOutside: ManagedObject, Named {
    @Attribute var name: String = ""
    @Attribute(.externalStorage) var image: Data?
}

/// The property of both entities that a list shows.
protocol Named { var name: String { get } }

/// Measures the cost of large values that a list does not show.
enum PictureSample {
    private static let byteCount = 65_536

    static func makeStore(_ store: String, count: Int) throws {
        let watch = Stopwatch()
        let context = try container(store).newContext()
        for number in 0..<count {
            let (inside, outside) = (PictureInside(context: context), PictureOutside(context: context))
            inside.name = "\(number)"
            outside.name = "\(number)"
            inside.image = Data(repeating: 1, count: byteCount)
            outside.image = inside.image
        }
        try context.save()
        ObjectSample.report(watch.elapsed, rows: count, sum: 0)
    }

    static func run<Picture: ManagedObject & Named>(_ type: Picture.Type, store: String) throws {
        let context = try container(store).newContext()
        let watch = Stopwatch()
        let pictures = try context.fetch(FetchRequest<Picture>())
        let sum = pictures.reduce(0) { $0 + $1.name.utf8.count }
        ObjectSample.report(watch.elapsed, rows: pictures.count, sum: sum)
    }

    private static func container(_ store: String) throws -> PersistentContainer {
        try PersistentContainer(
            url: URL(filePath: store),
            model: ManagedObjectModel(types: PictureInside.self, PictureOutside.self))
    }
}
