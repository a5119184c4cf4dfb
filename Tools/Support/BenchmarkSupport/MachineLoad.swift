import Foundation

/// How many processes wanted a processor, on average over a minute.
package struct MachineLoad: Codable {
    package let before: Double
    package let after: Double
    package let processors: Int

    package init(before: Double, after: Double) {
        self.before = before
        self.after = after
        processors = ProcessInfo.processInfo.activeProcessorCount
    }

    /// The load now; 0 where the system does not tell. The benchmark itself makes up about 1.
    package static var now: Double {
        var load = 0.0
        return getloadavg(&load, 1) == 1 ? load : 0
    }

    /// A line for people if others used the machine, which makes medians of short times those of waiting.
    package var warning: String? {
        guard max(before, after) > Double(processors) + 0.5 else { return nil }
        let loads = String(format: "load %.1f before, %.1f after", before, after)
        return "The machine was busy (\(loads), \(processors) processors): trust minima and CPU times more."
    }
}
