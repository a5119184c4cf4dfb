import ArgumentParser
import BenchmarkSupport
import Foundation

/// Measures the times between frames that a main actor draws while lists change.
@main struct MainActorBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "main-actor-benchmark",
        abstract: "Measures how long a main actor that draws a list waits.",
        discussion: """
            A frame is drawn every 8 milliseconds: it reads twenty rows. Beside it, another process imports songs, a search \
            is typed, and the order changes. The longest gap between two frames and the 99th percentile are printed, in \
            milliseconds. Before that, a list that no cache has is fetched with a first screen of 50 rows.

            Exit status: 0 if everything was measured, even if the goal is not reached; 2 if a program failed.
            """,
        subcommands: [Measure.self, Write.self, Change.self], defaultSubcommand: Measure.self)

    /// The goal for the longest gap, in milliseconds.
    static let goal = 16.0
    /// The goal for the first screen of a list that no cache has, in milliseconds.
    static let firstScreenGoal = 5.0
}

/// `main-actor-benchmark measure`: runs the scenarios.
struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs the scenarios.")

    @Option(help: "The number of songs.")
    var rows = 1_000_000

    @Option(name: .customLong("scenario"), help: "The scenarios to run, beside idle. By default all.")
    var scenarios: [Scenario] = Scenario.allCases

    @Option(help: "Also write the results to this file as JSON.")
    var json: String?

    @Option(help: "Also write the ratios that Tools/benchmark compares to this file.")
    var ratios: String?

    func run() async throws {
        do {
            try await measure()
        } catch {
            Progress.note("main-actor-benchmark: \(error)")
            throw ExitCode(2)
        }
    }

    @MainActor private func measure() async throws {
        let loadBefore = MachineLoad.now
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "main-actor-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appending(path: "songs.store").path
        let program = try ownPath()
        Progress.note("writing \(rows) songs …")
        _ = try ChildProcess.run(program, ["write", store, "--rows", "\(rows)"])
        let indexed = folder.appending(path: "indexed.store").path
        try FileManager.default.copyItem(atPath: store, toPath: indexed)
        let first = try await FirstScreenMeasurement(of: indexed, samples: 9)
        print(
            "the first screen of a miss: \(first.screen.median.threeDigits) ms, 95th percentile \(first.screen.percentile95.threeDigits) ms; the whole list: \(first.list.median.threeDigits) ms"
        )
        var measured: [(Scenario, Spread)] = []
        for scenario in Scenario.allCases where scenario == .idle || scenarios.contains(scenario) {
            // An import changes the store, so it has a separate copy.
            let copy = folder.appending(path: "\(scenario.rawValue).store").path
            try FileManager.default.copyItem(atPath: store, toPath: copy)
            let list = try SongList(store: copy, caches: folder.appending(path: scenario.rawValue).path)
            let clock = FrameClock { list.draw() }
            let rows = rows
            let arguments = scenario == .commits ? ["change", copy] : ["write", copy, "--rows", "\(rows)"]
            try await list.run(scenario) { _ = try ChildProcess.run(program, arguments) }
            let times = await clock.stop()
            measured.append((scenario, times))
            print(
                "\(scenario.title): longest gap \(times.maximum.threeDigits) ms, 99th percentile \(times.percentile99.threeDigits) ms, \(times.count) frames, \(list.reports) reports"
            )
        }
        let figures = figures(first, measured)
        for figure in figures { print(figure.line) }
        let found = Self.ratios(first, measured)
        if let ratios { try Ratio.write(found, to: ratios) }
        if let json {
            let load = MachineLoad(before: loadBefore, after: MachineLoad.now)
            try BenchmarkDocument(
                program: "main-actor-benchmark", load: load, quantities: quantities(first, measured),
                ratios: found, figures: figures
            ).write(to: json)
        }
    }

    @MainActor private func figures(
        _ first: FirstScreenMeasurement, _ measured: [(Scenario, Spread)]
    ) -> [Figure] {
        let gaps = measured.filter { $0.0 != .idle }.map { scenario, times in
            Figure(
                title: "longest gap beside \(scenario.title)", bound: .atMost(MainActorBenchmark.goal),
                unit: " ms", value: times.maximum)
        }
        return gaps + [
            Figure(
                title: "first screen of a miss", bound: .atMost(MainActorBenchmark.firstScreenGoal),
                unit: " ms", value: first.screen.median)
        ]
    }

    /// Returns the ratios that `Tools/benchmark` compares.
    @MainActor private static func ratios(
        _ first: FirstScreenMeasurement, _ measured: [(Scenario, Spread)]
    ) -> [Ratio] {
        let idle = measured.first { $0.0 == .idle }?.1.percentile99
        let ofFrames = measured.filter { $0.0 != .idle }.map { scenario, times in
            Ratio("main-actor.\(scenario.rawValue)-to-idle", times.percentile99, by: idle)
        }
        return [Ratio("main-actor.list-to-first-screen", first.list.median, by: first.screen.median)]
            + ofFrames
    }

    @MainActor private func quantities(
        _ first: FirstScreenMeasurement, _ measured: [(Scenario, Spread)]
    ) -> [MeasuredQuantity] {
        let conditions = ["rows": rows]
        let gaps = measured.map { scenario, times in
            MeasuredQuantity(
                "main-actor.gap.\(scenario.rawValue)", scenario.title, times, under: conditions)
        }
        return gaps + [
            MeasuredQuantity(
                "main-actor.first-screen", "the first screen of a miss", first.screen, under: conditions),
            MeasuredQuantity("main-actor.list", "the whole list of a miss", first.list, under: conditions),
        ]
    }

    private func ownPath() throws -> String {
        guard let url = Bundle.main.executableURL else {
            throw BenchmarkError("The path of this program is unknown.")
        }
        return url.resolvingSymlinksInPath().path
    }
}

/// `main-actor-benchmark write`: adds songs to a store, as an import by another program does.
struct Write: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Adds songs to a store.", shouldDisplay: false)

    @Argument var store: String
    @Option var rows: Int

    func run() throws { try Song.write(rows, to: Song.container(store)) }
}

/// `main-actor-benchmark change`: changes songs of a store in several commits.
struct Change: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Changes songs of a store.", shouldDisplay: false)

    @Argument var store: String

    func run() throws { try Song.change(2_000, times: 10, in: Song.container(store)) }
}
