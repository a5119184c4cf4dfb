import Foundation

extension Plan {
    /// Takes all samples, round by round over all variants, and compares the answers.
    func run(samples: Int) throws -> Results {
        let variants = variants
        var taken: [String: [Sample]] = [:]
        // One round that is not counted, which brings every file into memory.
        for round in 0...samples {
            Self.note(round == 0 ? "Warming up …" : "Round \(round) of \(samples) …")
            for variant in variants where !variant.isSlow || round <= max(3, samples / 5) {
                if let caches = variant.freshCaches {
                    try folder.remove(URL(filePath: caches).lastPathComponent)
                }
                let sample = try SampleRunner.run(variant.program, variant.arguments)
                if round > 0 { taken[variant.key, default: []].append(sample) }
            }
        }
        try compareAnswers(variants, taken)
        return Results(measurements: variants.map { Measurement(variant: $0, samples: taken[$0.key] ?? []) })
    }

    /// All ways to one question over one store must have found the same sections, counts and first titles.
    private func compareAnswers(_ variants: [Variant], _ taken: [String: [Sample]]) throws {
        var digests: [String: (name: String, digest: String)] = [:]
        for variant in variants where !variant.question.isEmpty {
            for sample in taken[variant.key] ?? [] {
                let place = "\(variant.question) \(variant.rows) \(variant.sections)"
                if let known = digests[place], known.digest != sample.digest {
                    throw BenchmarkError(
                        "“\(variant.name)” and “\(known.name)” differ over \(variant.rows) songs in \(variant.sections) sections."
                    )
                }
                digests[place] = (variant.name, sample.digest)
            }
        }
    }
}

/// The samples of one variant.
struct Measurement {
    let variant: Variant
    let samples: [Sample]

    /// Milliseconds inside the process.
    var inside: Spread { Spread(samples.map(\.milliseconds)) }
    /// Milliseconds of the whole process.
    var whole: Spread { Spread(samples.map(\.wholeMilliseconds)) }
    /// The median of the most memory that a process had, in KiB.
    var peakKiB: Double { Spread(samples.map { Double($0.peakKiB) }).median }
}

/// The least, the middle and nearly the greatest of some numbers.
struct Spread {
    let minimum: Double
    let median: Double
    let percentile95: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first else {
            (minimum, median, percentile95) = (.nan, .nan, .nan)
            return
        }
        minimum = first
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        percentile95 = sorted[min(sorted.count - 1, Int((Double(sorted.count) * 0.95).rounded(.up)) - 1)]
    }
}

/// Everything that was measured.
struct Results {
    let measurements: [Measurement]
    /// Rows a second of the import, and of the C program beside it.
    var rates: ImportRates?

    /// The measurement of a variant by its name and store.
    func find(_ name: String, _ rows: Int, _ sections: Int = 27) -> Measurement? {
        measurements.first {
            $0.variant.name == name && $0.variant.rows == rows && $0.variant.sections == sections
        }
    }
}
