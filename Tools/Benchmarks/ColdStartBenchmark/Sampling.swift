import BenchmarkSupport
import Foundation

/// Takes the samples, round by round for all variants, in a different order each round.
struct Sampling {
    /// The limits for the number of samples.
    struct Limits {
        /// The greatest number of samples of a variant.
        let samples: Int
        /// The number of seconds after which a variant gets no more samples, except for ``minimumSamples``.
        let secondsOfVariant: Double
        static let minimumSamples = 5
    }

    let commands: Commands
    let limits: Limits

    /// Measures all variants.
    ///
    /// - Throws: ``BenchmarkError`` if a sample fails, or if two ways give different results.
    func measure(_ variants: [Variant]) throws -> Results {
        var taken: [Variant: [Sample]] = [:]
        var wanted: [Variant: Int] = [:]
        var agreement = Agreement()
        var generator = SplitMix64(state: 1)
        // The warm-up round, which brings every file into memory and determines the cost of each variant.
        for variant in variants {
            Progress.note(
                "Warming up “\(variant.title)”, \(variant.question.title), \(variant.store.rows) songs …")
            let sample = try commands.sample(variant)
            try agreement.check(sample, of: variant)
            let affordable = Int(limits.secondsOfVariant * 1e3 / max(sample.whole, 0.001))
            wanted[variant] = min(limits.samples, max(affordable, Limits.minimumSamples))
        }
        for round in 1...limits.samples {
            Progress.note("Round \(round) of \(limits.samples) …")
            for variant in variants.shuffled(using: &generator)
            where Self.isTurn(round, of: limits.samples, count: wanted[variant] ?? 0) {
                let sample = try commands.sample(variant)
                try agreement.check(sample, of: variant)
                taken[variant, default: []].append(sample)
            }
        }
        return Results(measurements: variants.map { Measurement(variant: $0, samples: taken[$0] ?? []) })
    }

    /// Returns whether a variant with `count` samples, spread evenly over all rounds, gets one in this round.
    private static func isTurn(_ round: Int, of rounds: Int, count: Int) -> Bool {
        round * count / rounds > (round - 1) * count / rounds
    }
}

/// Checks that all ways to answer a question on a store give the same sections, counts and first titles.
struct Agreement {
    private struct Subject: Hashable {
        let question: Question
        let store: Store
    }

    private var known: [Subject: (way: Variant, sample: Sample)] = [:]

    mutating func check(_ sample: Sample, of variant: Variant) throws {
        guard variant.way.isComparable(for: variant.question) else { return }
        let subject = Subject(question: variant.question, store: variant.store)
        guard let (other, first) = known[subject] else {
            known[subject] = (variant, sample)
            return
        }
        guard first.digest == sample.digest, first.sections == sample.sections, first.rows == sample.rows
        else {
            throw BenchmarkError(
                """
                Two methods give different results for \(variant.question.title), \(variant.store.rows) songs: \
                “\(other.title)” found \(first.sections) sections, \(first.rows) rows, digest \(first.digest); \
                “\(variant.title)” \(sample.sections), \(sample.rows), \(sample.digest).
                """)
        }
    }
}

/// The generator of the rounds' order, which is the same in every run. Source: Steele, Lea, Flood, “Fast
/// splittable pseudorandom number generators”, 2014.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
