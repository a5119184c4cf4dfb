import ArgumentParser
import Foundation

/// One sample, in a separate process.
struct SampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sample", shouldDisplay: false)

    /// The actions of a process.
    enum Kind: String, ExpressibleByArgument {
        /// Creates the store.
        case prepare
        /// Removes everything that this library added to a copy of the store.
        case strip
        /// Fills the cache.
        case fill
        case following
        /// Changes rows without this library.
        case foreign
        case advanced, hit, rebuilt
        case standard, hashed
        case memory
    }

    @Argument var kind: Kind
    @Argument var store: String
    @Option var order = ListOrder.indexed
    @Option var caches = ""
    @Option var alone = ""
    @Option var bare = ""
    @Option var rows = 0
    @Option var count = 1
    @Option var rounds = 0
    @Option var seed: UInt64 = 0
    @Flag var check = false

    func run() throws {
        switch kind {
        case .prepare: try Preparation.makeStore(store, order: order, rows: rows, batchSize: count)
        case .strip: try Preparation.makePlain(store)
        case .fill: try opening(nil)
        case .advanced: try opening(.advanced)
        case .hit: try opening(.hit)
        case .rebuilt: try opening(.rebuilt)
        case .following:
            try FollowingSample(
                order: order, followed: store, caches: caches, alone: alone, bare: bare, count: count,
                rows: rows, rounds: rounds, seed: seed, isChecked: check
            ).run()
        case .foreign:
            let writer = try PlainWriter(path: store)
            var maker = ChangeMaker(seed: seed, rows: rows, count: count)
            writer.prepare(maker.next(.move))
            try writer.commit()
        case .standard: try observation(.standard)
        case .hashed: try observation(.hashed)
        case .memory:
            try MemorySample(store: store, caches: caches, rows: rows, changes: rounds, seed: seed).run()
        }
    }

    private func opening(_ opening: Opening?) throws {
        try OpeningSample(order: order, store: store, caches: caches, opening: opening).run()
    }

    private func observation(_ difference: ListDifference) throws {
        try ObservationSample(
            store: store, rows: rows, count: count, rounds: rounds, seed: seed, difference: difference
        ).run()
    }
}

extension ListOrder: ExpressibleByArgument {}
