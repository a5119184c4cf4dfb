/// Foresees from the first rows of a batch whether it will write more rows of a table than are logged.
///
/// Logging costs more than a plain insert, so a batch that will be too much for the log says so early, and
/// pays for the first few rows alone. One that finds nearly all rows unchanged, such as the same file
/// imported again, stays in the log.
struct BulkWriteEstimator {
    /// How many rows tell.
    private static let sample = ChangeTracking.smallSize

    /// How many rows the caller means to bring; 0 if that is not known.
    var expectedRows = 0
    /// From how many rows on the log lacks some.
    private let room: Int
    private var seenRows = 0
    private var writtenRows = 0
    private var isAnnounced = false

    init(expectedRows: Int, room: Int) {
        self.expectedRows = expectedRows
        self.room = room
    }

    /// Counts a row that is there already.
    mutating func noteUnchanged() { seenRows += 1 }

    /// Counts a row that is about to be written, and tells whether this is the moment to say that there will
    /// be too many.
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
