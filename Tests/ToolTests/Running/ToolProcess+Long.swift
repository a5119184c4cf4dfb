import Dispatch
import Foundation

extension ToolProcess {
    /// Runs a tool that keeps a core busy for long, without blocking the caller's thread. Tests have only as
    /// many threads as cores, and tests that block them leave the cores idle.
    ///
    /// - Parameter timeLimit: The seconds after which the tool is killed.
    static func runLong(_ tool: String, _ arguments: [String], timeLimit: Double) async throws -> ToolRun {
        await LongTools.shared.begin()
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { try run(tool, arguments, timeLimit: timeLimit) })
            }
        }
        await LongTools.shared.end()
        return try result.get()
    }
}

/// Limits the number of long tools that run at a time to the number of cores.
private actor LongTools {
    static let shared = LongTools()

    private var free = ProcessInfo.processInfo.activeProcessorCount
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func begin() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func end() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
