/// Predicts from the first rows of a batch whether it will write more rows of a table than the log holds.
///
/// Logging costs more than a plain insert, so a batch that will overflow the log is announced early, and only
/// its first rows are logged. A batch that finds nearly all rows unchanged, such as a repeated import of the
/// same file, is logged.
struct BulkWriteEstimator {
    /// The number of rows that the prediction is based on.
    private static let sample = ChangeTracking.smallSize

    /// The number of rows that the caller expects; 0 if unknown.
    var expectedRows = 0
    /// The number of rows that the log can still record.
    private let room: Int
    private var seenRows = 0
    private var writtenRows = 0
    private var isAnnounced = false

    init(expectedRows: Int, room: Int) {
        self.expectedRows = expectedRows
        self.room = room
    }

    /// Counts a row that exists unchanged.
    mutating func noteUnchanged() { seenRows += 1 }

    /// Counts a row that is about to be written; returns whether the bulk write must be announced now.
    mutating func announcesBulkWrite() -> Bool {
        seenRows += 1
        writtenRows += 1
        guard !isAnnounced else { return false }
        let extrapolated = Double(expectedRows) * Double(writtenRows) / Double(seenRows)
        isAnnounced =
            writtenRows == Self.sample && extrapolated >= Double(room)
            || writtenRows >= room
        return isAnnounced
    }
}
