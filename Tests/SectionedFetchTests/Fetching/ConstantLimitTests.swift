import Foundation
import SectionedFetch
import Testing

/// Lists whose requests have the largest number of constants.
@Suite struct ConstantLimitTests {
    @Test func `a list of a request with 32,000 constants follows changes`() throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        let lists = (0..<40).map { list in (list * 800..<(list + 1) * 800).map { Int32($0) } }
        var request = FetchRequest<Item>.byRank
        request.predicate = try .init(
            format: lists.map { _ in "rank IN %@" }.joined(separator: " OR "), arguments: lists)
        try workshop.insert([5, 31_998, 31_999, 32_000], in: context)
        let controller = try workshop.controller(request, by: nil, in: context)
        let keeper = ChangeKeeper()
        controller.delegate = keeper
        try controller.performFetch()
        #expect(controller.fetchedObjects?.map(\.rank) == [5, 31_998, 31_999])
        try workshop.insert([7, 40_000], in: context)
        try workshop.runElsewhere(
            "UPDATE Item SET rank = 31997 WHERE rank = 32000; DELETE FROM Item WHERE rank = 5")
        try context.mergeChangesFromStore()
        #expect(controller.fetchedObjects?.map(\.rank) == [7, 31_997, 31_998, 31_999])
        #expect(keeper.take().count == 2)
    }
}
