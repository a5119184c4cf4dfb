import Foundation
import Mutants
import CheckSupport

/// Tools with few descriptors, without threads, or with little address space. Each must give the right answer
/// or an error, and end.
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
            // No stack of this size is available, so that no thread can be created.
            case 1: limits = "ulimit -s 200000000000"
            default:
                limits = "ulimit -v \(least + Int.random(in: 0...spread, using: &generator))"
            }
            let task = tasks[trial / 3 % tasks.count]
            run.note(try task.run(in: folder, under: limits, truth: truth, "trial \(trial), \(limits)"))
        }
    }

    /// The range of limits above the least, in KiB.
    private static let spread = 300_000
    /// The memory that a program needs in addition to its libraries, in KiB.
    private static let ownNeeds = 8_192

    /// Returns the least address space with which a tool opens a store, in KiB.
    private static func leastAddressSpace(in folder: URL) throws -> Int {
        for size in stride(from: 32_768, to: 4 << 20, by: 2_048) {
            let run = try ToolRun(
                "library-import", ["--version"], folder: folder, limits: "ulimit -v \(size)")
            if run.status == 0 { return size + ownNeeds }
        }
        throw FaultSkipped("library-import does not start with 4 GiB of address space")
    }
}
