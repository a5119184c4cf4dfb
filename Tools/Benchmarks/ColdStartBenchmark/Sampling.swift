import BenchmarkSupport
import Foundation

/// Takes the samples: round by round over all variants, in another order each round.
struct Sampling {
    /// How many samples are taken.
    struct Limits {
        /// Samples of a variant.
        let samples: Int
        /// Seconds after which a variant gets no more, but for ``minimumSamples``.
        let secondsOfVariant: Double
        static let minimumSamples = 5
    }

    let commands: Commands
    let limits: Limits

    /// Measures all variants.
    ///
    /// - Throws: ``BenchmarkError`` if a sample fails, or two ways to the same answer differ.
    func measure(_ variants: [Variant]) throws -> Results {
        var taken: [Variant: [Sample]] = [:]
        var wanted: [Variant: Int] = [:]
        var agreement = Agreement()
        var generator = SplitMix64(state: 1)
        // One round that does not count. It brings every file into memory, and tells what each variant costs.
        for variant in variants {
            Progress.note(
                "Trying “\(variant.title)”, \(variant.question.title), \(variant.store.rows) songs …")
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

    /// Whether a variant that gets `count` samples in all rounds, spread evenly, gets one in this round.
    private static func isTurn(_ round: Int, of rounds: Int, count: Int) -> Bool {
        round * count / rounds > (round - 1) * count / rounds
    }
}

/// Sees to it that all ways to one question over one store find the same sections, counts and first titles.
struct Agreement {
    private struct Place: Hashable {
        let question: Question
        let store: Store
    }

    private var known: [Place: (way: Variant, sample: Sample)] = [:]

    mutating func check(_ sample: Sample, of variant: Variant) throws {
        guard variant.way.isComparable(for: variant.question) else { return }
        let place = Place(question: variant.question, store: variant.store)
        guard let (other, first) = known[place] else {
            known[place] = (variant, sample)
            return
        }
        guard first.digest == sample.digest, first.sections == sample.sections, first.rows == sample.rows
        else {
            throw BenchmarkError(
                """
                Two ways to the same answer differ, \(variant.question.title), \(variant.store.rows) songs: \
                “\(other.title)” found \(first.sections) sections, \(first.rows) rows, digest \(first.digest); \
                “\(variant.title)” \(sample.sections), \(sample.rows), \(sample.digest).
                """)
        }
    }
}

/// The order of the rounds, the same in every run. Source: Steele, Lea, Flood, “Fast splittable pseudorandom
/// number generators”, 2014.
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
