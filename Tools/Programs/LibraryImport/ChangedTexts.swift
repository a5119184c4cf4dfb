/// The texts of a column that their attribute changes: `01569` becomes 1569 in an integer attribute.
struct ChangedTexts: Sendable, Equatable {
    /// The number of texts.
    var count = 0
    /// The line of the first of them.
    var line = 0
    var text = ""
    /// The text of the value that is stored instead of the first one.
    var stored = ""

    /// Adds the texts of a later part of the file.
    mutating func add(_ later: ChangedTexts) {
        if count == 0 { self = later } else { count += later.count }
    }
}
