import ObjectStorage

/// The rows of a controller's entity whose positions may have changed, and those of them whose content
/// changed.
///
/// An object that was never saved is a row of the results under a key that only these results use. Rows are
/// identified by their keys in the new state; ``previousKeys`` has the keys of the old results where they
/// differ.
struct ChangedRows {
    /// The keys of rows that may be in the new results.
    var keys: [Int64] = []
    /// The keys of rows of the old results that no longer exist, even if another row has such a key now:
    /// unsaved objects, and in an external table rows whose key an unsaved object has taken.
    var goneKeys: [Int64] = []
    /// The keys of rows that the old results do not contain under any key.
    var newKeys: Set<Int64> = []
    /// The keys in the old results, by the keys in the new ones, where they differ.
    var previousKeys: [Int64: Int64] = [:]
    /// The keys of rows whose content differs from the content that was last reported.
    var changedKeys: Set<Int64> = []
    /// The causes of the changes of the rows of ``changedKeys``.
    var causes = ChangeCauses()
    /// Whether the positions of all other rows are unchanged, so that the old results can be updated from
    /// these rows alone.
    var isComplete = true

    /// Returns the key that a row had in the old results, if it was in them.
    func previousKey(of key: Int64) -> Int64 { previousKeys[key] ?? key }
}

/// The result of reading which rows changed.
enum ChangedRowsResult {
    /// The rows that changed, possibly with others.
    case known(ChangedRows)
    /// The changed rows cannot be determined, for this reason.
    case unknown(String)

    /// The number of rows whose new positions are found in some milliseconds.
    private static let smallNumber = 500

    /// Whether computing the new results may take longer than a frame of an animation: many rows changed, or
    /// the list has to be fetched again.
    var isLarge: Bool {
        switch self {
        case .known(let rows): rows.keys.count > Self.smallNumber || !rows.isComplete
        case .unknown: true
        }
    }
}
