import BenchmarkSupport

/// The code that a developer would write without the library.
enum Alternative: String {
    /// Reads only twenty rows by their keys, through GRDB.
    case twentyRows
    /// Runs `GROUP BY` over a covering index, and reads the first page.
    case groupBy
    /// Reads all keys and sections in order, through SQLite's sorter.
    case sorter
    /// Reads all keys and sections of songs since 2000, through SQLite's sorter.
    ///
    /// `NOT INDEXED` forces the sorter, because SQLite's own plan, an index in order with a look-up for each
    /// row, is several times slower.
    case filteredSorter
    /// Reads all keys and sections in order of the artists' names, from a join.
    case relatedSorter
    /// Reads all records through GRDB, and groups them in Swift.
    case records
    /// Reads all titles in the order of GRDB's localized collation, and groups them by their first letters in
    /// Swift.
    case localizedRecords

    func run(store: String) throws {
        switch self {
        case .twentyRows: try RecordSample.twentyRows(store: store)
        case .records: try RecordSample.records(store: store)
        case .localizedRecords: try RecordSample.localizedRecords(store: store)
        case .groupBy:
            try SQLiteSample.groups(
                store: store, "SELECT section, count(*) FROM Song GROUP BY section ORDER BY section",
                firstPage: "SELECT title, year FROM Song ORDER BY section, title, objectID LIMIT 20")
        case .sorter:
            try SQLiteSample.scan(
                store: store,
                "SELECT objectID, section FROM Song NOT INDEXED ORDER BY section, title, objectID")
        case .filteredSorter:
            try SQLiteSample.scan(
                store: store,
                """
                SELECT objectID, section FROM Song NOT INDEXED WHERE year >= 2000 \
                ORDER BY section, title, objectID
                """)
        case .relatedSorter:
            try SQLiteSample.scan(
                store: store,
                """
                SELECT s.objectID, p.name FROM Song AS s LEFT JOIN Performer AS p ON p.objectID = s.artist \
                ORDER BY p.name, s.title, s.objectID
                """)
        }
    }
}
