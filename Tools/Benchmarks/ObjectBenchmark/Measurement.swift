import BenchmarkSupport
import Foundation

/// The measured programs, which are in this program's directory.
struct Programs {
    /// This program, which takes samples of the library and of GRDB.
    let own: String
    /// The program that writes the rows for the C program and creates the table that it fills.
    let preparation: String
    /// The C program.
    let floor: String

    init() throws {
        guard let own = Bundle.main.executableURL?.resolvingSymlinksInPath() else {
            throw BenchmarkError("The path of this program is unknown.")
        }
        let folder = own.deletingLastPathComponent()
        self.own = own.path
        preparation = folder.appending(path: "cold-start-sample").path
        floor = folder.appending(path: "cold-start-floor").path
        for program in [preparation, floor] where !FileManager.default.isExecutableFile(atPath: program) {
            throw BenchmarkError(
                "“\(program)” does not exist. Build all programs: Tools/build")
        }
    }
}

/// All results.
struct Results {
    /// The inserted rows per second, through contexts and by the C program.
    let insertedByContexts: Spread
    let insertedByLoop: Spread
    /// The milliseconds of fetching all rows and reading three properties of each.
    let objects: Spread
    let records: Spread
    /// The milliseconds of fetching objects with pictures of 64 KiB and reading their names.
    let picturesInside: Spread
    let picturesOutside: Spread
    /// The milliseconds of listing all rows in an order and iterating over the list.
    let list: Spread
    /// The peak memory, in MiB.
    let objectsMemory: Spread
    let recordsMemory: Spread
    let listMemory: Spread
    let emptyMemory: Spread

    /// The ratios that `Tools/benchmark` compares.
    var ratios: [Ratio] {
        [
            Ratio("objects.inserted-to-loop", insertedByContexts.median, by: insertedByLoop.median),
            Ratio("objects.fetched-to-records", objects.median, by: records.median),
            Ratio("objects.list-memory-to-empty", listMemory.median, by: emptyMemory.median),
        ]
    }

    /// The figures.
    var figures: [Figure] {
        [
            Figure(
                title: "objects inserted per second, to rows of the C loop", bound: .atLeast(0.4), unit: "×",
                value: insertedByContexts.median / insertedByLoop.median),
            Figure(
                title: "fetching objects, to GRDB decoding the rows", bound: .atMost(1), unit: "×",
                value: objects.median / records.median),
            Figure(
                title: "memory of iterating over a list, above an empty process", bound: .atMost(40),
                unit: " MiB", value: listMemory.median - emptyMemory.median),
        ]
    }
}

/// Takes the samples in turn.
struct Measurement {
    let programs: Programs
    let folder: WorkFolder
    let rows: Int
    let fetched: Int
    let samples: Int

    private static let entity = "Track"
    private static let numberOfColumns = 9

    func run() throws -> Results {
        Progress.note("Preparing \(rows) rows …")
        _ = try ChildProcess.run(
            programs.preparation, ["rows", folder.path("rows.csv"), folder.path("rows.bin"), String(rows)])
        try folder.remove("rows.csv")
        _ = try sample(.insert, "large.sqlite", rows)
        _ = try sample(.insert, "small.sqlite", fetched)
        _ = try sample(.store, "like.sqlite", 0)
        _ = try sample(.pictures, "pictures.sqlite", 300)
        var taken: [String: [Sample]] = [:]
        // The first round is a warm-up.
        for round in 0...samples {
            Progress.note(round == 0 ? "Warming up …" : "Round \(round) of \(samples) …")
            let turn = [
                ("contexts", try insertByContexts()), ("loop", try insertByLoop()),
                ("objects", try sample(.objects, "small.sqlite", fetched)),
                ("records", try sample(.records, "small.sqlite", fetched)),
                ("inside", try sample(.picturesInside, "pictures.sqlite", 0)),
                ("outside", try sample(.picturesOutside, "pictures.sqlite", 0)),
                ("list", try sample(.list, "large.sqlite", rows)), ("empty", try sample(.empty, "", 0)),
            ]
            guard round > 0 else {
                try check(turn)
                continue
            }
            for (name, sample) in turn { taken[name, default: []].append(sample) }
        }
        func spread(_ name: String, _ value: (Sample) -> Double) -> Spread {
            Spread((taken[name] ?? []).map(value))
        }
        return Results(
            insertedByContexts: spread("contexts") { Double($0.rows) / $0.inside * 1e3 },
            insertedByLoop: spread("loop") { Double($0.rows) / $0.inside * 1e3 },
            objects: spread("objects", \.inside), records: spread("records", \.inside),
            picturesInside: spread("inside", \.inside), picturesOutside: spread("outside", \.inside),
            list: spread("list", \.inside), objectsMemory: spread("objects") { $0.peakKiB / 1_024 },
            recordsMemory: spread("records") { $0.peakKiB / 1_024 },
            listMemory: spread("list") { $0.peakKiB / 1_024 },
            emptyMemory: spread("empty") { $0.peakKiB / 1_024 })
    }

    /// Checks that the ways to do the same work have the same results.
    private func check(_ turn: [(name: String, sample: Sample)]) throws {
        let found = Dictionary(uniqueKeysWithValues: turn.map { ($0.name, $0.sample) })
        guard found["contexts"]?.rows == rows, found["loop"]?.rows == rows, found["list"]?.rows == rows,
            found["objects"]?.rows == fetched, found["records"]?.rows == fetched,
            found["objects"]?.digest == found["records"]?.digest
        else { throw BenchmarkError("Two methods give different results.") }
    }

    private func insertByContexts() throws -> Sample {
        try folder.removeDatabase("contexts.sqlite")
        return try Sample(
            ChildProcess.run(
                programs.own, ["sample", "insert", folder.path("contexts.sqlite"), String(rows)]))
    }

    private func insertByLoop() throws -> Sample {
        try folder.removeDatabase("loop.sqlite")
        _ = try ChildProcess.run(
            programs.preparation,
            ["plain", folder.path("like.sqlite"), folder.path("loop.sqlite"), Self.entity])
        return try Sample(
            ChildProcess.run(
                programs.floor,
                [
                    "import", folder.path("loop.sqlite"), folder.path("rows.bin"), Self.entity,
                    String(Self.numberOfColumns),
                ]))
    }

    @discardableResult
    private func sample(_ kind: ObjectSample.Kind, _ store: String, _ rows: Int) throws -> Sample {
        let process = try ChildProcess.run(
            programs.own, ["sample", kind.rawValue, folder.path(store), String(rows)])
        return try Sample(process)
    }
}
