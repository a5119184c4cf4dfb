import Foundation
import Mutants
import CheckSupport

/// Tools that get few descriptors, no threads, or little address space: each says the truth or why it cannot,
/// and ends.
enum LimitFaults: FaultProgram {
    static let name = "limits"
    static let rows = ["A-41"]
    static let summary =
        "runs every tool with few descriptors, without threads, and with little address space"
    static let releaseCount = 400
    static let mutants: [Mutant] = [.queueEndAwaited, .unreservedDescriptors]
    static let huntCount = 60

    static func run(_ run: inout FaultRun) throws {
        let folder = run.folder.appending(path: "limits")
        try ToolTask.prepare(folder)
        let (tool, arguments) = ToolTask.list.command(in: folder)
        let truth = try ToolTask.sections(ToolRun(tool, arguments, folder: folder).output)
        let least = try leastAddressSpace(in: folder)
        let tasks = ToolTask.allCases
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let limits: String
            switch trial % 3 {
            // The shell and the loader need four.
            case 0: limits = "ulimit -n \(Int.random(in: 4...26, using: &generator))"
            // No stack of this size can be had, so that every thread is refused.
            case 1: limits = "ulimit -s 200000000000"
            default:
                limits = "ulimit -v \(least + Int.random(in: 0...spread, using: &generator))"
            }
            let task = tasks[trial / 3 % tasks.count]
            run.note(try task.run(in: folder, under: limits, truth: truth, "trial \(trial), \(limits)"))
        }
    }

    /// Beyond the least, in KiB.
    private static let spread = 300_000
    /// What a program needs beside its libraries before any of its own code can go on without, in KiB.
    private static let ownNeeds = 8_192

    /// The address space with which a tool gets as far as to open a store, in KiB.
    private static func leastAddressSpace(in folder: URL) throws -> Int {
        for size in stride(from: 32_768, to: 4 << 20, by: 2_048) {
            let run = try ToolRun(
                "library-import", ["--version"], folder: folder, limits: "ulimit -v \(size)")
            if run.status == 0 { return size + ownNeeds }
        }
        throw FaultSkipped("library-import does not start with 4 GiB of address space")
    }
}
