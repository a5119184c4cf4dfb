import Foundation
import CheckSupport
import Testing

@testable import FaultPrograms

/// Whatever goes wrong with caches and stores, no answer is wrong, nothing crashes and nobody waits.
///
/// Each program makes a hundredth of the trials of a release, with a seed that is printed. For more, build
/// for release:
///
///     swift run -c release fault-programs run all --release
@Suite struct `Fault programs` {
    /// The programs that limit the address space or replace functions that a sanitizer needs, or weigh its
    /// memory (`Tools/sanitize`).
    private static let unfitForSanitizers = [
        "clocks", "no-memory", "hostile-imports", "hostile-stores", "leaks", "limits",
    ]

    private static var names: [String] {
        let names = FaultCatalogue.programs.map { $0.name }
        return Sanitizer.isUsed ? names.filter { !unfitForSanitizers.contains($0) } : names
    }

    @Test(arguments: names)
    func `no trial ends with a wrong answer, a crash or a wait`(name: String) async throws {
        let seed = SeededGenerator.newSeed(name)
        let run = try await ToolProcess.runLong(
            "fault-programs", ["run", name, "--seed", "\(seed)"], timeLimit: 600)
        print(run.output)
        #expect(run.status == 0, "\(run)")
    }
}
