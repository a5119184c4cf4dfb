import BenchmarkSupport
import Foundation

/// Takes the samples in turn.
struct Measurement {
    let folder: WorkFolder
    let plan: Plan
    /// The path of this program, which takes the samples.
    private let program: String
    /// The number of processes that have changed rows so far. Each makes different changes.
    private var seed: UInt64 = 0

    private static let freshCaches = "fresh-caches"

    init(folder: WorkFolder, plan: Plan) throws {
        guard let own = Bundle.main.executableURL?.resolvingSymlinksInPath() else {
            throw BenchmarkError("The path of this program is unknown.")
        }
        program = own.path
        self.folder = folder
        self.plan = plan
    }

    private static func store(_ order: ListOrder) -> String { "followed-\(order.rawValue).sqlite" }
    private static func alone(_ order: ListOrder) -> String { "alone-\(order.rawValue).sqlite" }
    private static func bare(_ order: ListOrder) -> String { "bare-\(order.rawValue).sqlite" }
    private static func caches(_ order: ListOrder) -> String { "caches-\(order.rawValue)" }

    mutating func run() throws -> Results {
        try prepare()
        var results = Results()
        // The first round is a warm-up.
        for round in 0...plan.samples {
            Progress.note(round == 0 ? "Warming up …" : "Round \(round) of \(plan.samples) …")
            var turn = Results()
            for order in ListOrder.allCases {
                for size in [1, plan.batchSize] {
                    try follow(order, size, isChecked: round == 0, into: &turn)
                }
                try open(order, into: &turn)
            }
            for difference in ListDifference.allCases {
                for size in [1, plan.batchSize] { try observe(difference, size, into: &turn) }
            }
            turn.fetchedMemory.append(try memory(changes: 0))
            turn.followedMemory.append(try memory(changes: plan.changesForMemory))
            if round > 0 { results.append(turn) }
        }
        return results
    }

    /// Creates three stores for each order, as copies of one file: one whose list is followed, with a
    /// separate cache and change log, one without a controller, and one without triggers.
    private mutating func prepare() throws {
        Progress.note("Creating stores of \(plan.rows) songs …")
        for order in ListOrder.allCases {
            let original = Self.store(order)
            _ = try sample(
                .prepare, original,
                ["--order", order.rawValue, "--rows", "\(plan.rows)", "--count", "\(plan.batchSize)"])
            // The program has closed the database, so this file is complete.
            for copy in [Self.alone(order), Self.bare(order)] {
                try FileManager.default.copyItem(atPath: folder.path(original), toPath: folder.path(copy))
            }
            _ = try sample(.strip, Self.bare(order), [])
            _ = try sample(
                .fill, original, ["--order", order.rawValue, "--caches", folder.path(Self.caches(order))])
        }
    }

    private mutating func follow(
        _ order: ListOrder, _ size: Int, isChecked: Bool, into results: inout Results
    ) throws {
        let process = try sample(
            .following, Self.store(order),
            [
                "--order", order.rawValue, "--caches", folder.path(Self.caches(order)),
                "--alone", folder.path(Self.alone(order)), "--bare", folder.path(Self.bare(order)),
            ] + changes(ofSize: size, rounds: plan.rounds(ofSize: size)) + (isChecked ? ["--check"] : []))
        results.append(try decode(FollowingLine.self, process), order, isBatch: size > 1)
    }

    /// Fetches the list after another program changed rows, then unchanged, and then without a cache. All
    /// three must find the same rows.
    private mutating func open(_ order: ListOrder, into results: inout Results) throws {
        let store = Self.store(order)
        let caches = folder.path(Self.caches(order))
        _ = try sample(.foreign, store, changes(ofSize: plan.foreignSize, rounds: 1))
        try folder.remove(Self.freshCaches)
        var digests: Set<String> = []
        for opening in Opening.allCases {
            guard let kind = SampleCommand.Kind(rawValue: opening.rawValue) else { continue }
            let directory = opening == .rebuilt ? folder.path(Self.freshCaches) : caches
            let sample = try Sample(
                sample(kind, store, ["--order", order.rawValue, "--caches", directory]))
            digests.insert("\(sample.digest) \(sample.sections) \(sample.rows)")
            results.append(sample, order, opening)
        }
        guard digests.count == 1 else {
            throw BenchmarkError("Starts in \(order.title) find different lists: \(digests.sorted())")
        }
    }

    private mutating func observe(
        _ difference: ListDifference, _ size: Int, into results: inout Results
    ) throws {
        guard let kind = SampleCommand.Kind(rawValue: difference.rawValue) else { return }
        let process = try sample(kind, Self.bare(.indexed), changes(ofSize: size, rounds: plan.comparisons))
        results.append(try decode([Double].self, process), difference, isBatch: size > 1)
    }

    /// Returns the peak memory of a process, in MiB.
    private mutating func memory(changes: Int) throws -> Double {
        let arguments =
            ["--caches", folder.path(Self.caches(.indexed))] + self.changes(ofSize: 1, rounds: changes)
        return try Sample(sample(.memory, Self.store(.indexed), arguments)).peakKiB / 1_024
    }

    private mutating func changes(ofSize size: Int, rounds: Int) -> [String] {
        seed += 1
        return [
            "--rows", "\(plan.rows)", "--count", "\(size)", "--rounds", "\(rounds)", "--seed", "\(seed)",
        ]
    }

    private func sample(
        _ kind: SampleCommand.Kind, _ store: String, _ arguments: [String]
    ) throws -> ChildProcess {
        try ChildProcess.run(program, ["sample", kind.rawValue, folder.path(store)] + arguments)
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ process: ChildProcess) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(process.output))
        } catch {
            throw BenchmarkError("not a sample: \(String(decoding: process.output, as: UTF8.self))")
        }
    }
}
