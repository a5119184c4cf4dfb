import Foundation
import CheckSupport
import Testing

/// For random changes of the rows of a list, each reported change is correct, and none is missing.
///
/// A separate process replays the histories, so that a trap is a failure like any other.
/// `SECTIONED_FETCH_CHANGE_OPERATIONS` is the total number of rows that are written, 40,000 if it is not
/// set. `SECTIONED_FETCH_CHANGE_SEED` is the seed of the first history, 1 if it is not set, so that all
/// runs of the tests are equal. For a long run with random seeds, build for release, without the tests:
///
///     swift run -c release change-replay --operations 20000000
@Suite struct ChangeReplayTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let operations =
        environment["SECTIONED_FETCH_CHANGE_OPERATIONS"].flatMap(Int.init) ?? 40_000
    private static let seed =
        environment["SECTIONED_FETCH_CHANGE_SEED"].flatMap(UInt64.init) ?? 1

    /// Two processes run at a time, because each keeps one core busy.
    @Test(arguments: [0, 1])
    func `each change leads from the old results to the new ones`(half: UInt64) async throws {
        let seed = Self.seed + half * 1_000_000
        print("change-replay --seed \(seed)")
        let run = try await ToolProcess.runLong(
            "change-replay", ["--seed", "\(seed)", "--operations", "\(Self.operations / 2)"],
            timeLimit: 36_000)
        #expect(run.status == 0, "\(run)")
        print(run.output)
    }

    @Test func `a history is the same when others run in parallel`() throws {
        let batches = try ["1", "2"].map { jobs in
            let run = try ToolProcess.run(
                "change-replay",
                ["--seed", "\(Self.seed)", "--operations", "1", "--jobs", jobs, "--verbose"],
                timeLimit: 3_600)
            #expect(run.status == 0, "\(run)")
            return Set(run.output.split(separator: "\n").filter { $0.wholeMatch(of: /\s+\d+: .*/) != nil })
        }
        #expect(batches[0].count > 10 && batches[0].isSubset(of: batches[1]))
        let refused = try ToolProcess.run("change-replay", ["--jobs", "0"])
        #expect(refused.status == 64 && refused.errors.contains("--jobs"))
    }

    #if Mutants
    @Test func `each mutant is detected, and the code without mutants passes`() async throws {
        let run = try await ToolProcess.runLong(
            "change-replay", ["--mutants", "--seed", "500", "--operations", "60000"], timeLimit: 3_600)
        #expect(run.status == 0, "\(run)")
    }
    #endif
}
