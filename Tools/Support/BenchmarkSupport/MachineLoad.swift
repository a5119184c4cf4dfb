import Foundation

/// The load of the machine: the number of processes that use or wait for a processor, averaged over a minute.
package struct MachineLoad: Codable {
    /// The load before the benchmark.
    package let before: Double
    /// The load after the benchmark.
    package let after: Double
    /// The number of processors.
    package let processors: Int

    /// Creates a load from two averages.
    package init(before: Double, after: Double) {
        self.before = before
        self.after = after
        processors = ProcessInfo.processInfo.activeProcessorCount
    }

    /// The current load, or 0 if the system does not report it. The benchmark itself contributes about 1.
    package static var now: Double {
        var load = 0.0
        return getloadavg(&load, 1) == 1 ? load : 0
    }

    /// A warning if other processes used the machine, because medians of short times then include waiting, or
    /// nil.
    package var warning: String? {
        guard max(before, after) > Double(processors) + 0.5 else { return nil }
        let loads = String(format: "load %.1f before, %.1f after", before, after)
        return "The machine was busy (\(loads), \(processors) processors): trust minima and CPU times more."
    }
}
