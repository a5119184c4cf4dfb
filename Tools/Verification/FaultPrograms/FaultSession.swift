import Foundation
import Mutants
import ToolSupport

/// Runs one fault program and prints its result.
struct FaultSession {
    let program: any FaultProgram.Type
    let count: Int
    let seed: UInt64

    /// Runs the program in a temporary folder.
    ///
    /// - Returns: The number of trials with each outcome; nil if the program cannot run on this machine,
    ///   which is printed.
    /// - Throws: ``ToolSupport/ToolFinding`` for a trial that failed.
    @discardableResult
    func run() throws -> [FaultOutcome: Int]? {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fault-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let rows = program.rows.joined(separator: ", ")
        var run = FaultRun(of: program, count: count, seed: seed, folder: folder)
        do {
            try program.run(&run)
        } catch let skipped as FaultSkipped {
            print("\(program.name) (\(rows)): SKIPPED, \(skipped)")
            return nil
        } catch {
            throw ToolFinding(
                "\(program.name) (\(rows)): \(error). To repeat: fault-programs run \(program.name) --count \(count) --seed \(seed)"
            )
        }
        let ends = FaultOutcome.allCases.compactMap { outcome in
            run.outcomes[outcome].map { "\($0) \(outcome.rawValue)" }
        }
        print(
            "\(program.name) (\(rows)): \(count) trials: \(ends.joined(separator: ", ")); wrong 0, crashes 0; seed \(seed)"
        )
        return run.outcomes
    }
}
