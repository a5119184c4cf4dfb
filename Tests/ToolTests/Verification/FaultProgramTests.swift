import Foundation
import CheckSupport
import Testing

@testable import FaultPrograms

/// Faults of caches and stores cause no wrong answer, no crash and no hang.
///
/// Each program makes one in 400 of the trials of a release, with a seed that is printed. For more, build for
/// release:
///
///     swift run -c release fault-programs run all --release
@Suite struct FaultProgramTests {
    /// The programs that limit the address space or replace functions that a sanitizer needs, or that measure
    /// memory, which includes the sanitizer's (`Tools/sanitize`).
    private static let unfitForSanitizers = [
        "clocks", "no-memory", "hostile-imports", "hostile-stores", "leaks", "limits",
    ]

    private static var names: [String] {
        let names = FaultCatalogue.programs.map { $0.name }
        return Sanitizer.isUsed ? names.filter { !unfitForSanitizers.contains($0) } : names
    }

    @Test(arguments: names)
    func `no trial ends with a wrong answer, a crash or a hang`(name: String) async throws {
        let seed = SeededGenerator.newSeed(name)
        let count = try #require(FaultCatalogue.program(named: name)).releaseCount / 400
        let run = try await ToolProcess.runLong(
            "fault-programs", ["run", name, "--seed", "\(seed)", "--count", "\(max(1, count))"],
            timeLimit: 600)
        print(run.output)
        #expect(run.status == 0, "\(run)")
    }
}
