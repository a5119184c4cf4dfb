import CheckSupport
import Foundation
import Testing

/// Random files of CSV, JSON and JSON Lines are imported as Python reads them.
///
/// `SECTIONED_FETCH_IMPORT_FILES` is the number of files, 1,000 if it is not set.
/// `SECTIONED_FETCH_IMPORT_SEED` is the seed, 1 if it is not set, so that all runs of the tests are equal.
/// For a long run with a random seed, build for release, without the tests:
///
///     swift run -c release import-replay random --count 100000
@Suite(.enabled(if: Python.path != nil, "python3 is not on the search path"))
struct ImportReplayTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let files = environment["SECTIONED_FETCH_IMPORT_FILES"].flatMap(Int.init) ?? 1_000
    private static let seed = environment["SECTIONED_FETCH_IMPORT_SEED"].flatMap(UInt64.init) ?? 1

    /// Two processes run at a time, because each keeps one core busy.
    @Test(arguments: [0, 1])
    func `random files are imported as Python reads them`(half: Int) async throws {
        let count = (Self.files + half) / 2
        let arguments = [
            "random", "--seed", "\(Self.seed)", "--first", "\(half * ((Self.files + 1) / 2))", "--count",
            "\(count)", "--keep", FileManager.default.temporaryDirectory.path,
        ]
        print("import-replay \(arguments.joined(separator: " "))")
        let run = try await ToolProcess.runLong("import-replay", arguments, timeLimit: 36_000)
        #expect(run.status == 0, "\(run)")
        #expect(run.output.contains("\(count) files with "), "\(run)")
    }
}
