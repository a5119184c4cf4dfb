import ArgumentParser

/// The treatment of texts that their attributes change.
enum ChangePolicy: String, CaseIterable, ExpressibleByArgument {
    /// The row is a bad row.
    case skip
    /// The row is imported, and its column is reported with the first changed text. The row is a bad row if
    /// the text is its key, because it could replace another row.
    case warn
    /// The row is imported.
    case accept
}
