import SectionedFetch
import TerminalTable
import ToolSupport

/// Finds rows by a text, by a fetch with a predicate: no row is read to be looked into.
///
/// The fetch has the order of the list, so what it finds is in the order of the rows, and the next one is
/// found by halving. Of what is found only identities are kept.
struct LiveSearch {
    private let controller: FetchedResultsController<ManagedObject>
    private let path: String
    private(set) var text = ""
    private(set) var matches: [ObjectID] = []
    /// Whether the matches must be fetched again.
    private var isStale = false

    /// - Returns: Nil if no column is a text.
    init?(_ controller: FetchedResultsController<ManagedObject>, columns: [Column]) {
        guard let column = columns.first(where: { $0.property.kind == .attribute(.string) }) else {
            return nil
        }
        self.controller = controller
        path = column.property.path
    }

    /// What is searched.
    var columnName: String { path }

    /// Takes another text.
    mutating func search(for text: String) {
        self.text = text
        isStale = true
    }

    /// Has the next search look again, because the list changed.
    mutating func listDidChange() { isStale = true }

    /// The first match at a row or below it, or above the end of the list from the beginning on; nil if there
    /// is none.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: That of SQLite's query, and O(*n* log *m*) for *m* matches in a list of *n* rows, where
    ///   *n* stands for a scan of keys in memory.
    mutating func match(from row: Int, in viewport: Viewport) throws(ObjectStorageError) -> RowPath? {
        try refresh()
        if let path = try nextMatch(from: row, in: viewport) { return path }
        return try nextMatch(from: 0, in: viewport)
    }

    /// The last match above a row, or from the end of the list.
    ///
    /// - Throws: As ``match(from:in:)``.
    mutating func match(above row: Int, in viewport: Viewport) throws(ObjectStorageError) -> RowPath? {
        try refresh()
        if let path = try lastMatch(before: firstPosition(from: row, in: viewport)) { return path }
        return try lastMatch(before: matches.count)
    }

    private mutating func refresh() throws(ObjectStorageError) {
        guard isStale else { return }
        matches = []
        if !text.isEmpty {
            let list = controller.fetchRequest
            var request = list
            let containsText = FetchRequest<ManagedObject>.Predicate.contains(
                path, text, ignoringCase: true, ignoringDiacritics: true)
            request.predicate = list.predicate.map { $0 && containsText } ?? containsText
            request.fetchLimit = 0
            request.fetchOffset = 0
            let context = controller.managedObjectContext
            matches = try context.fetchIDs(request)
            if list.fetchLimit > 0 || list.fetchOffset > 0 {
                // A limit counts the rows of the list, not those that fit the text.
                let shown = Set(try context.fetchIDs(list))
                matches = matches.filter(shown.contains)
            }
        }
        isStale = false
    }

    private func rowPath(_ position: Int) throws(ObjectStorageError) -> RowPath? {
        let object = try controller.managedObjectContext.object(with: matches[position])
        return controller.indexPath(for: object).map { RowPath($0) }
    }

    private func nextMatch(from row: Int, in viewport: Viewport) throws(ObjectStorageError) -> RowPath? {
        for position in try firstPosition(from: row, in: viewport)..<matches.count {
            if let path = try rowPath(position) { return path }
        }
        return nil
    }

    private func lastMatch(before end: Int) throws(ObjectStorageError) -> RowPath? {
        for position in (0..<end).reversed() {
            if let path = try rowPath(position) { return path }
        }
        return nil
    }

    /// The position among the matches of the first one at a row or below it.
    private func firstPosition(from row: Int, in viewport: Viewport) throws(ObjectStorageError) -> Int {
        var (low, high) = (0, matches.count)
        while low < high {
            let middle = (low + high) / 2
            // What was found may not be in the list yet, if another program wrote it just now.
            var probe = middle
            var path = try rowPath(probe)
            while path == nil, probe + 1 < high {
                probe += 1
                path = try rowPath(probe)
            }
            guard let path else {
                high = middle
                continue
            }
            if viewport.number(of: path) < row { low = probe + 1 } else { high = middle }
        }
        return low
    }
}
