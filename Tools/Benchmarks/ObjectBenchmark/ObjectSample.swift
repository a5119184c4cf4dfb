import ArgumentParser
import BenchmarkSupport
import CatalogueGenerator
import Foundation
import SectionedFetch

/// One sample, in a separate process.
struct ObjectSample: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sample", shouldDisplay: false)

    /// The actions of a process.
    enum Kind: String, ExpressibleByArgument {
        /// Does nothing, to measure the memory of an empty process.
        case empty
        /// Creates an empty store, whose table the C program's table copies.
        case store
        case insert, objects, records, list
        /// Creates a store of objects with pictures, half of them in their rows.
        case pictures
        case picturesInside, picturesOutside
    }

    @Argument var kind: Kind
    @Argument var store: String
    @Argument var rows: Int

    func run() throws {
        switch kind {
        case .empty: Self.report(Stopwatch().elapsed, rows: 0, sum: 0)
        case .store:
            let watch = Stopwatch()
            _ = try PersistentContainer(url: URL(filePath: store), model: .tracks())
            Self.report(watch.elapsed, rows: 0, sum: 0)
        case .insert: try insert()
        case .objects: try fetchObjects()
        case .records: try RecordSample.run(store: store)
        case .list: try readList()
        case .pictures: try PictureSample.makeStore(store, count: rows)
        case .picturesInside: try PictureSample.run(PictureInside.self, store: store)
        case .picturesOutside: try PictureSample.run(PictureOutside.self, store: store)
        }
    }

    /// Inserts objects in a context, and saves and releases them ten thousand at a time.
    private func insert() throws {
        let songs = Array(
            CatalogueGenerator(try CatalogueOptions(numberOfSongs: rows, sections: .firstLetters)))
        let watch = Stopwatch()
        let container = try PersistentContainer(url: URL(filePath: store), model: .tracks())
        let context = container.newContext()
        var position = 0
        while position < songs.count {
            let end = min(position + 10_000, songs.count)
            for index in position..<end { Track(context: context).take(songs[index]) }
            try context.save()
            position = end
        }
        Self.report(watch.elapsed, rows: position, sum: 0)
    }

    /// Fetches all objects, and reads three properties of each.
    private func fetchObjects() throws {
        let container = try PersistentContainer(url: URL(filePath: store), model: .tracks())
        let context = container.newContext()
        let watch = Stopwatch()
        let tracks = try context.fetch(FetchRequest<Track>())
        var sum = 0
        for track in tracks { sum += track.title.utf8.count + Int(track.year) + Int(track.duration) }
        Self.report(watch.elapsed, rows: tracks.count, sum: sum)
    }

    /// Lists all rows in an order, and iterates over the list twenty rows at a time.
    private func readList() throws {
        let container = try PersistentContainer(url: URL(filePath: store), model: .tracks())
        let context = container.newContext()
        let watch = Stopwatch()
        var request = FetchRequest<Track>(sortDescriptors: [.ascending(\.section), .ascending(\.title)])
        request.fetchBatchSize = 20
        let tracks = try context.list(request)
        var sum = 0
        for track in tracks { sum += track.title.utf8.count + Int(track.year) + Int(track.duration) }
        Self.report(watch.elapsed, rows: tracks.count, sum: sum)
    }

    /// Prints the line that the benchmark reads.
    static func report(_ nanoseconds: UInt64, rows: Int, sum: Int) {
        print(
            """
            {"nanoseconds": \(nanoseconds), "answered": \(nanoseconds), "sections": 0, "rows": \(rows), \
            "digest": "\(sum)", "peakKiB": \(PeakMemory.kibibytes()), "steps": {}}
            """)
    }
}
