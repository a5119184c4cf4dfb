import BenchmarkSupport
import Foundation
import SectionedFetch

/// A picture in its row, where every fetch reads it.
final class PictureInside: ManagedObject, Named {
    @Attribute var name: String = ""
    @Attribute var image: Data?
}

/// A picture out of its row, read when it is asked for.
final class PictureOutside: ManagedObject, Named {
    @Attribute var name: String = ""
    @Attribute(.externalStorage) var image: Data?
}

/// What both have that a list shows.
protocol Named { var name: String { get } }

/// What large values cost that a list does not show.
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
