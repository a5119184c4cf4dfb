import CheckSupport

/// A series of trials of one target.
package struct FuzzSession {
    /// The number of trials and of accepted inputs.
    package struct Summary: Sendable {
        /// The number of trials.
        package var trials = 0
        /// The number of inputs that the target accepted as valid.
        package var accepted = 0
    }

    private let target: any FuzzTarget
    private let type: any FuzzTarget.Type

    /// Creates a session for a target.
    package init(of type: any FuzzTarget.Type) throws {
        self.type = type
        target = try type.init()
    }

    /// Runs the target on unchanged inputs.
    ///
    /// - Throws: ``FuzzFinding``, which names the input.
    package func replay(_ inputs: [FuzzSeed]) throws -> Summary {
        var summary = Summary()
        for input in inputs {
            try run(input.bytes, called: input.name, summary: &summary)
        }
        return summary
    }

    /// Runs the target on random mutations of inputs. Each mutation depends only on the seed and the number
    /// of its trial, so that a single trial can be repeated.
    ///
    /// - Parameters:
    ///   - corpus: The inputs to mutate.
    ///   - trials: The numbers of the trials.
    /// - Throws: ``FuzzFinding``, which names the trial.
    package func mutate(_ corpus: [FuzzSeed], trials: Range<Int>, seed: UInt64) throws -> Summary {
        let mutator = ByteMutator(corpus: corpus.map(\.bytes), words: type.words)
        var summary = Summary()
        for trial in trials {
            var generator = SeededGenerator(seed: seed &+ UInt64(trial) &* 0x9E37_79B9)
            try run(mutator.input(using: &generator), called: "trial \(trial)", summary: &summary)
        }
        return summary
    }

    private func run(_ bytes: [UInt8], called name: String, summary: inout Summary) throws {
        summary.trials += 1
        do {
            if try target.run(bytes) { summary.accepted += 1 }
        } catch let finding as FuzzFinding {
            throw FuzzFinding("\(type.name), \(name): \(finding)")
        }
    }
}
