import Testing

@testable import CatalogueGenerator

@Suite struct SplitMix64Tests {
    @Test func `the numbers are those of the published algorithm`() {
        // The first outputs of Vigna's splitmix64.c for the seed 1234567, as quoted on Rosetta Code.
        let published: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        var generator = SplitMix64(seed: 1_234_567)
        #expect(published.map { _ in generator.next() } == published)
    }

    @Test(arguments: [1, 2, 3, 26, 1_000, 1 << 40])
    func `a bounded number is below its bound`(bound: Int) {
        var generator = SplitMix64(seed: 99)
        for _ in 0..<2_000 {
            let number = generator.next(below: bound)
            #expect(number >= 0 && number < bound)
        }
    }

    @Test func `bounded numbers are spread evenly`() {
        var generator = SplitMix64(seed: 5)
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<100_000 {
            counts[generator.next(below: 10)] += 1
        }
        // Ten standard deviations of the binomial distribution are about 950.
        #expect(counts.allSatisfy { abs($0 - 10_000) < 950 }, "\(counts)")
    }
}

@Suite struct IndexPermutationTests {
    @Test(arguments: [0, 1, 2, 3, 4, 5, 15, 16, 17, 255, 256, 257, 1_000, 4_096, 10_007])
    func `every number appears exactly once`(count: Int) {
        let permutation = IndexPermutation(count: count, seed: UInt64(count))
        #expect((0..<count).map { permutation[$0] }.sorted() == Array(0..<count))
    }

    @Test func `different seeds give different orders`() {
        let first = IndexPermutation(count: 1_000, seed: 1)
        let second = IndexPermutation(count: 1_000, seed: 2)
        #expect((0..<1_000).count { first[$0] == second[$0] } < 20)
    }

    @Test func `neighbours are separated`() {
        let permutation = IndexPermutation(count: 100_000, seed: 3)
        let stillNeighbours = (1..<100_000).count { abs(permutation[$0] - permutation[$0 - 1]) == 1 }
        // Two of every 100,000 pairs are neighbours by chance.
        #expect(stillNeighbours < 20)
    }
}
