import ObjectStorage
import InternalUtilities

/// Sort keys in ascending order, stored one after the other in a single buffer, so that a search through
/// thousands of them touches little memory.
struct SortKeyArray {
    private var bytes: [UInt8] = []
    /// The end of each sort key in the buffer.
    private var ends: [Int] = []

    private func start(_ number: Int) -> Int { number == 0 ? 0 : ends[number - 1] }

    /// Returns the number of sort keys before a given one.
    ///
    /// - Complexity: O(log *n*) comparisons.
    func count(before sortKey: SortKey) -> Int {
        bytes.withUnsafeBytes { bytes in
            sortKey.bytes.withUnsafeBytes { sortKey in
                ends.indices.partitioningIndex { number in
                    let other = UnsafeRawBufferPointer(rebasing: bytes[start(number)..<ends[number]])
                    return !SortKey.precedes(other, sortKey)
                }
            }
        }
    }

    /// Removes a sort key.
    mutating func remove(_ number: Int) {
        let range = start(number)..<ends[number]
        bytes.removeSubrange(range)
        ends.remove(at: number)
        for number in number..<ends.count { ends[number] -= range.count }
    }

    /// Reserves the size of another array, and a quarter more.
    mutating func reserve(_ other: SortKeyArray) {
        bytes.reserveCapacity(other.bytes.count * 5 / 4)
        ends.reserveCapacity(other.ends.count * 5 / 4)
    }

    /// Appends a sort key that follows all others.
    mutating func append(_ sortKey: SortKey) {
        bytes += sortKey.bytes
        ends.append(bytes.count)
    }

    /// Appends a range of another array whose sort keys follow all others.
    mutating func append(_ other: SortKeyArray, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let start = other.start(range.lowerBound)
        let distance = bytes.count - start
        bytes += other.bytes[start..<other.ends[range.upperBound - 1]]
        for number in range { ends.append(other.ends[number] + distance) }
    }
}
