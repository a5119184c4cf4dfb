import ArgumentParser
import BenchmarkSupport
import Foundation
import SectionedFetch

/// Measures whether a change of one object costs more among many objects.
struct GrowthMeasurement: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract:
            "Measures the cost of linking, moving, deleting and saving an object among few and among many objects.",
        discussion: """
            Each line has the time for one object among the smaller and the larger number, and their ratio. The ratio is about 1 \
            if the time is proportional to the number of objects, and about the quotient of the numbers if it grows with \
            their square.
            """)

    @Option(help: "The smaller number of objects.")
    var few = 2_000

    @Option(help: "The larger number of objects.")
    var many = 32_000

    @Option(help: "The number of rounds, each of which measures both numbers.")
    var rounds = 5

    func validate() throws {
        guard few >= 100, many > few, rounds > 0 else {
            throw ValidationError(
                "--few must be at least 100, --many greater than that, and --rounds at least 1.")
        }
    }

    func run() throws {
        do {
            var few: [GrowthSample.Step: [Double]] = [:]
            var many: [GrowthSample.Step: [Double]] = [:]
            for _ in 0..<rounds {
                for (step, time) in try GrowthSample.run(count: self.few) {
                    few[step, default: []].append(time)
                }
                for (step, time) in try GrowthSample.run(count: self.many) {
                    many[step, default: []].append(time)
                }
            }
            for step in GrowthSample.Step.allCases {
                let (small, large) = (Self.median(few[step] ?? []), Self.median(many[step] ?? []))
                let line = String(
                    format: "%8.2f µs among %d, %8.2f among %d, ratio %5.2f", small, self.few, large,
                    self.many,
                    large / small)
                print("\(step.rawValue.padding(toLength: 64, withPad: " ", startingAt: 0))\(line)")
            }
        } catch {
            Progress.note("object-benchmark: \(error)")
            throw ExitCode(2)
        }
    }

    private static func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }
}

/// An album with songs. Songs have labels.
private final class Disc: ManagedObject {
    @Attribute var title: String = ""
    @Relationship(deleteRule: .cascade) var songs: Set<Song>
}

private final class Song: ManagedObject {
    @Attribute var title: String = ""
    @Relationship(inverse: \Disc.songs) var disc: Disc?
    @Relationship(inverse: \Label.songs) var labels: Set<Label>
    @Relationship var original: Song?
}

private final class Label: ManagedObject {
    @Attribute var word: String = ""
    @Relationship var songs: Set<Song>
}

/// The steps of a program that changes many objects, one after the other.
enum GrowthSample {
    enum Step: String, CaseIterable {
        case linking = "a label added to a song"
        case listing = "the songs of a disc, of which some are not saved yet"
        case deleting = "a song deleted to which another song led"
        case saving = "these deletions saved"
        case cascading = "a disc deleted with its songs, and saved"
        case child = "a song of a new disc saved to a parent context"
    }

    /// Returns the microseconds of each step for one object.
    static func run(count: Int) throws -> [Step: Double] {
        let folder = try WorkFolder(path: nil, isKept: false, name: "growth")
        defer { folder.removeIfTemporary() }
        let container = try PersistentContainer(
            url: folder.url.appending(path: "songs.sqlite"),
            model: ManagedObjectModel(types: Disc.self, Song.self, Label.self))
        let context = container.newContext()
        let label = try context.insert(Label.self)
        let discs = try (0..<count / 10).map { _ in try context.insert(Disc.self) }
        let songs = try (0..<count).map { number in
            let song = try context.insert(Song.self)
            song.title = "Song \(number)"
            song.disc = discs[number / 10]
            return song
        }
        for number in songs.indices { songs[number].original = songs[(number + 1) % count] }
        try context.save()

        var times: [Step: Double] = [:]
        func measure(_ step: Step, _ number: Int, _ body: () throws -> Void) rethrows {
            let watch = Stopwatch()
            try body()
            times[step] = Double(watch.elapsed) / 1_000 / Double(number)
        }
        measure(.linking, count) { for song in songs { song.labels.insert(label) } }
        for number in songs.indices where number % 10 == 0 { songs[number].disc = discs[number / 10 / 2] }
        var listed = 0
        measure(.listing, discs.count) { for disc in discs { listed += disc.songs.count } }
        guard listed == count else { throw BenchmarkError("The discs list \(listed) of \(count) songs.") }
        try context.save()
        let half = songs.indices.filter { $0 % 2 == 0 }
        measure(.deleting, half.count) { for number in half { context.delete(songs[number]) } }
        try measure(.saving, half.count) { try context.save() }
        guard songs[1].original == nil else {
            throw BenchmarkError("A song has a relationship to a deleted song.")
        }
        try measure(.cascading, discs.count) {
            for disc in discs { context.delete(disc) }
            try context.save()
        }
        guard songs.allSatisfy(\.isDeleted) else {
            throw BenchmarkError("Not all songs were deleted with their discs.")
        }
        let child = context.newChildContext()
        for _ in 0..<count {
            let song = try child.insert(Song.self)
            song.disc = try child.insert(Disc.self)
        }
        try measure(.child, count) { try child.save() }
        return times
    }
}
