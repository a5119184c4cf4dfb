import CheckSupport

/// Many trials of one target.
package struct FuzzSession {
    /// What came of them.
    package struct Summary: Sendable {
        /// How many trials there were.
        package var trials = 0
        /// How many inputs were taken for what they should be.
        package var accepted = 0
    }

    private let target: any FuzzTarget
    private let type: any FuzzTarget.Type

    /// Prepares a target.
    package init(of type: any FuzzTarget.Type) throws {
        self.type = type
        target = try type.init()
    }

    /// Tries inputs as they are.
    ///
    /// - Throws: ``FuzzFinding``, naming the input.
    package func replay(_ inputs: [FuzzSeed]) throws -> Summary {
        var summary = Summary()
        for input in inputs {
            try run(input.bytes, called: input.name, summary: &summary)
        }
        return summary
    }

    /// Tries inputs that are made of others at random. Each is the same whatever was tried before, so that
    /// one can be repeated alone.
    ///
    /// - Parameters:
    ///   - corpus: What they are made of.
    ///   - trials: The numbers of the trials.
    /// - Throws: ``FuzzFinding``, naming the trial.
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
