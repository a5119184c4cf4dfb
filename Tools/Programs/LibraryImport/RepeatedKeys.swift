/// The rows of the store that records of one import have found by their key, to find the records that have
/// the key of an earlier record.
///
/// The keys take little memory while they ascend, as they do if a file is imported again.
struct RepeatedKeys {
    /// The number of runs, and of single keys, that are kept. Repetitions beyond them may be overlooked.
    private static let capacity = 1_000_000
    /// The greatest primary key of the table when the import began.
    private let greatest: Int64
    /// The runs of consecutive primary keys that were found, in ascending order.
    private var runs: [ClosedRange<Int64>] = []
    /// The primary keys that were found after a greater one.
    private var others: Set<Int64> = []

    /// Creates the keys of an import that begins.
    ///
    /// - Parameter greatest: The greatest primary key of the table; the rows of the import have greater ones.
    init(after greatest: Int64) { self.greatest = greatest }

    /// Returns whether an earlier record of the import has inserted or found a row, and notes that it is
    /// found.
    ///
    /// - Complexity: O(1) for keys that ascend, otherwise O(log *n*) in the number of found rows.
    mutating func isRepeated(_ primaryKey: Int64) -> Bool {
        guard primaryKey <= greatest else { return true }
        guard let last = runs.last, primaryKey <= last.upperBound else {
            if let last = runs.last, last.upperBound + 1 == primaryKey {
                runs[runs.count - 1] = last.lowerBound...primaryKey
            } else if runs.count < Self.capacity {
                runs.append(primaryKey...primaryKey)
            }
            return false
        }
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < primaryKey { low = middle + 1 } else { high = middle }
        }
        if runs[low].contains(primaryKey) { return true }
        guard others.count < Self.capacity || others.contains(primaryKey) else { return false }
        return !others.insert(primaryKey).inserted
    }
}
