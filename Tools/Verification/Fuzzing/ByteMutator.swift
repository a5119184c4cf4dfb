import CheckSupport

/// Makes new inputs from known ones, as a fuzzer without knowledge of the program does. Small changes of
/// valid inputs are more likely to pass the first checks than noise.
struct ByteMutator {
    private let corpus: [[UInt8]]
    private let words: [[UInt8]]
    /// The greatest size of an input, in bytes.
    private static let maximumSize = 256 << 10

    init(corpus: [[UInt8]], words: [[UInt8]]) {
        self.corpus = corpus
        self.words = words
    }

    /// Returns a new input.
    func input(using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = corpus.randomElement(using: &generator) ?? []
        for _ in 0..<[1, 1, 2, 3, 6].randomElement(using: &generator)! {
            change(&bytes, using: &generator)
        }
        return Array(bytes.prefix(Self.maximumSize))
    }

    private func change(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let position = Int.random(in: 0...bytes.count, using: &generator)
        let length = min(bytes.count - position, Int.random(in: 1...32, using: &generator))
        switch Int.random(in: 0..<10, using: &generator) {
        case 0 where position < bytes.count:
            bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1 where position < bytes.count:
            bytes[position] = [0, 1, 0x20, 0x22, 0x7F, 0x80, 0xC3, 0xFF].randomElement(using: &generator)!
        case 2:
            bytes.insert(
                contentsOf: generator.bytes(Int.random(in: 1...8, using: &generator)), at: position)
        case 3: bytes.removeSubrange(position..<position + length)
        case 4: bytes.insert(contentsOf: bytes[position..<position + length], at: position)
        case 5, 6: addWord(to: &bytes, at: position, using: &generator)
        case 7: addInteger(to: &bytes, at: position, using: &generator)
        case 8: bytes.removeSubrange(position...)
        default: splice(&bytes, at: position, using: &generator)
        }
    }

    private func addWord(to bytes: inout [UInt8], at position: Int, using generator: inout SeededGenerator) {
        guard let word = words.randomElement(using: &generator) else { return }
        let count = Int.random(in: 0..<50, using: &generator) == 0 ? 200 : 1
        for _ in 0..<count { bytes.insert(contentsOf: word, at: position) }
    }

    /// Adds a small number to an integer, or replaces it with one that is likely to overflow.
    private func addInteger(to bytes: inout [UInt8], at position: Int, using generator: inout SeededGenerator)
    {
        let size = [2, 4, 8].randomElement(using: &generator)!
        // Integer fields of binary formats are aligned to their size.
        let start = position / size * size
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

    /// Replaces the end with the end of another input.
    private func splice(_ bytes: inout [UInt8], at position: Int, using generator: inout SeededGenerator) {
        guard let other = corpus.randomElement(using: &generator), !other.isEmpty else { return }
        let start = Int.random(in: 0..<other.count, using: &generator)
        bytes.removeSubrange(position...)
        bytes += other[start...]
    }
}
