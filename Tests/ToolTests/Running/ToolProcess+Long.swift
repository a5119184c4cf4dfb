import Dispatch
import Foundation

extension ToolProcess {
    /// Runs a tool that keeps a core busy for long. Other tests have the caller's thread meanwhile; there are
    /// as few as there are cores, and tests that wait for something leave them idle.
    ///
    /// - Parameter timeLimit: The seconds after which it is killed.
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

/// Lets as many long tools run at a time as there are cores.
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
