import ObjectStorage
import InternalUtilities

/// Places in ascending order, their bytes one after the other, so that a search through thousands of them
/// touches little memory.
struct SortKeyArray {
    private var bytes: [UInt8] = []
    /// Where the bytes of each place end.
    private var ends: [Int] = []

    private func start(_ number: Int) -> Int { number == 0 ? 0 : ends[number - 1] }

    /// How many are before a place.
    ///
    /// - Complexity: O(log *n*) comparisons.
    func count(before place: SortKey) -> Int {
        bytes.withUnsafeBytes { bytes in
            place.bytes.withUnsafeBytes { place in
                ends.indices.partitioningIndex { number in
                    let other = UnsafeRawBufferPointer(rebasing: bytes[start(number)..<ends[number]])
                    return !SortKey.precedes(other, place)
                }
            }
        }
    }

    /// Takes a place out.
    mutating func remove(_ number: Int) {
        let range = start(number)..<ends[number]
        bytes.removeSubrange(range)
        ends.remove(at: number)
        for number in number..<ends.count { ends[number] -= range.count }
    }

    /// Makes room for as much as another list has, and some more.
    mutating func reserve(_ other: SortKeyArray) {
        bytes.reserveCapacity(other.bytes.count * 5 / 4)
        ends.reserveCapacity(other.ends.count * 5 / 4)
    }

    /// Adds a place behind all others.
    mutating func append(_ place: SortKey) {
        bytes += place.bytes
        ends.append(bytes.count)
    }

    /// Adds some places of another list behind all others.
    mutating func append(_ other: SortKeyArray, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let start = other.start(range.lowerBound)
        let distance = bytes.count - start
        bytes += other.bytes[start..<other.ends[range.upperBound - 1]]
        for number in range { ends.append(other.ends[number] + distance) }
    }
}
