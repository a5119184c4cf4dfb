import Foundation
import SectionedFetch
import TestSupport
import Testing

/// Whatever happens to the rows of a list, each change that is reported is right, and nothing is kept back.
///
/// `SECTIONED_FETCH_CHANGE_BATCHES` is the number of batches for each list, `SECTIONED_FETCH_CHANGE_SEED` the seed of all.
@Suite struct `Changes at random` {
    private static let environment = ProcessInfo.processInfo.environment
    private static let batches = environment["SECTIONED_FETCH_CHANGE_BATCHES"].flatMap(Int.init) ?? 120

    @Test(arguments: ItemList.all, [false, true])
    func `each change leads from the old results to the new ones`(list: ItemList, mergesAutomatically: Bool)
        throws
    {
        let seed =
            Self.environment["SECTIONED_FETCH_CHANGE_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0..<1_000_000_000)
        print("\(list.testDescription), merging automatically \(mergesAutomatically): seed \(seed)")
        let run = try ChangeRun(list, mergesAutomatically: mergesAutomatically, seed: seed)
        for batch in 0..<Self.batches {
            let action = try run.step()
            guard run.checker.failures.isEmpty else {
                Issue.record(
                    "seed \(seed), batch \(batch), \(action): \(run.checker.failures.joined(separator: "\n"))"
                )
                return
            }
        }
        print("  \(run.operations) operations: \(run.checker.counts.sorted { $0.key < $1.key })")
        #expect(run.checker.counts["changes", default: 0] > Self.batches / 10)
    }
}
