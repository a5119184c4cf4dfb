import BenchmarkSupport

/// The samples of one variant.
struct Measurement {
    let variant: Variant
    let samples: [Sample]

    /// The milliseconds inside the process.
    var inside: Spread { Spread(samples.map(\.inside)) }
    /// The milliseconds inside the process until the first rows are readable.
    var answered: Spread { Spread(samples.map(\.answered)) }
    /// The milliseconds of the whole process.
    var whole: Spread { Spread(samples.map(\.whole)) }
    /// The processor time of the whole process, in milliseconds.
    var processor: Spread { Spread(samples.map(\.processor)) }
    /// The peak memory, in KiB.
    var peakKiB: Spread { Spread(samples.map(\.peakKiB)) }

    /// The median milliseconds of each step, the longest first.
    var steps: [(name: String, milliseconds: Double)] {
        guard let first = samples.first else { return [] }
        return first.steps.keys.map { name in
            (name, Spread(samples.compactMap { $0.steps[name] }).median)
        }
        .sorted { $0.1 > $1.1 }
    }
}

/// All results.
struct Results {
    /// The measurements in the order of the plan; each has samples.
    let measurements: [Measurement]
    /// The import rates, if they were measured.
    var imports: ImportRates?
    /// The times of whole import processes, in milliseconds.
    var wholeImports: [WholeImport: Spread] = [:]
    /// The load of the machine before and after the measurements.
    var load: MachineLoad?

    /// The stores in the order in which they were measured.
    var stores: [Store] {
        var stores: [Store] = []
        for measurement in measurements where !stores.contains(measurement.variant.store) {
            stores.append(measurement.variant.store)
        }
        return stores
    }

    /// The largest store with the smallest number of sections, to which the figures apply.
    var mainStore: Store? {
        let sections = stores.map(\.sections).min()
        return stores.filter { $0.sections == sections }.max { $0.rows < $1.rows }
    }

    /// Returns the measurement of a way to answer a question on a store.
    func find(_ way: Way, _ question: Question = .plain, over store: Store?) -> Measurement? {
        guard let store else { return nil }
        let variant = Variant(way: way, question: question, store: store)
        return measurements.first { $0.variant == variant }
    }
}
