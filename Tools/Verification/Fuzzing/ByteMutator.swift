import CheckSupport

/// Makes new inputs of known ones, as a fuzzer does that knows nothing of the program: small changes of what
/// was right are more likely to get far than noise.
struct ByteMutator {
    private let corpus: [[UInt8]]
    private let words: [[UInt8]]
    /// An input grows no larger than this.
    private static let maximumSize = 256 << 10

    init(corpus: [[UInt8]], words: [[UInt8]]) {
        self.corpus = corpus
        self.words = words
    }

    /// A new input.
    func input(using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = corpus.randomElement(using: &generator) ?? []
        for _ in 0..<[1, 1, 2, 3, 6].randomElement(using: &generator)! {
            change(&bytes, using: &generator)
        }
        return Array(bytes.prefix(Self.maximumSize))
    }

    private func change(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        let length = min(bytes.count - place, Int.random(in: 1...32, using: &generator))
        switch Int.random(in: 0..<10, using: &generator) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1 where place < bytes.count:
            bytes[place] = [0, 1, 0x20, 0x22, 0x7F, 0x80, 0xC3, 0xFF].randomElement(using: &generator)!
        case 2:
            bytes.insert(
                contentsOf: generator.bytes(Int.random(in: 1...8, using: &generator)), at: place)
        case 3: bytes.removeSubrange(place..<place + length)
        case 4: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
        case 5, 6: addWord(to: &bytes, at: place, using: &generator)
        case 7: addInteger(to: &bytes, at: place, using: &generator)
        case 8: bytes.removeSubrange(place...)
        default: splice(&bytes, at: place, using: &generator)
        }
    }

    private func addWord(to bytes: inout [UInt8], at place: Int, using generator: inout SeededGenerator) {
        guard let word = words.randomElement(using: &generator) else { return }
        let count = Int.random(in: 0..<50, using: &generator) == 0 ? 200 : 1
        for _ in 0..<count { bytes.insert(contentsOf: word, at: place) }
    }

    /// Adds a little to an integer, or makes it one of those with which arithmetic goes wrong.
    private func addInteger(to bytes: inout [UInt8], at place: Int, using generator: inout SeededGenerator) {
        let size = [2, 4, 8].randomElement(using: &generator)!
        // Fields of binary formats begin at multiples of their size.
        let start = place / size * size
        guard start + size <= bytes.count else { return }
        var value = bytes[start..<start + size].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: value = .max >> UInt64(64 - 8 * size)
        case 1: value = 1 << UInt64(8 * size - 1)
        case 2: value &+= UInt64.random(in: 1...16, using: &generator)
        default: value &-= UInt64.random(in: 1...16, using: &generator)
        }
        for offset in 0..<size {
            bytes[start + offset] = UInt8(truncatingIfNeeded: value >> UInt64(8 * offset))
        }
    }

    /// Goes on as another input does.
    private func splice(_ bytes: inout [UInt8], at place: Int, using generator: inout SeededGenerator) {
        guard let other = corpus.randomElement(using: &generator), !other.isEmpty else { return }
        let start = Int.random(in: 0..<other.count, using: &generator)
        bytes.removeSubrange(place...)
        bytes += other[start...]
    }
}
