import Foundation
import SectionedFetch
import TerminalTable
import ToolSupport

/// A text search over the rows of the list, by a fetch with a predicate.
///
/// The fetch has the order of the list, so the matches have the order of the rows, and a binary search finds
/// the next match. Only the object IDs of the matches are kept.
struct LiveSearch {
    private let controller: FetchedResultsController<ManagedObject>
    private let path: String
    private(set) var text = ""
    private(set) var matches: [ObjectID] = []
    /// Whether the matches must be fetched again.
    private var isStale = false

    /// Creates a search of the first text column, or returns nil if no column is a text.
    init?(_ controller: FetchedResultsController<ManagedObject>, columns: [Column]) {
        guard let column = columns.first(where: { $0.property.kind == .attribute(.string) }) else {
            return nil
        }
        self.controller = controller
        path = column.property.path
    }

    /// The name of the column that is searched.
    var columnName: String { path }

    /// Sets the search text.
    mutating func search(for text: String) {
        self.text = text
        isStale = true
    }

    /// Marks the matches as stale after a change of the list, so that the next search fetches them again.
    mutating func listDidChange() { isStale = true }

    /// Returns the first match at a row or below it, continuing from the beginning of the list, or nil if the
    /// list has no match.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: SQLite's query, and O(*n* log *m*) for *m* matches in a list of *n* rows, where *n* is a
    ///   scan of keys in memory.
    mutating func match(from row: Int, in viewport: Viewport) throws(ObjectStorageError) -> RowPath? {
        try refresh()
        if let path = try nextMatch(from: row, in: viewport) { return path }
        return try nextMatch(from: 0, in: viewport)
    }

    /// Returns the last match above a row, continuing from the end of the list, or nil if the list has no
    /// match.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    mutating func match(above row: Int, in viewport: Viewport) throws(ObjectStorageError) -> RowPath? {
        try refresh()
        if let path = try lastMatch(before: firstPosition(from: row, in: viewport), in: viewport) {
            return path
        }
        return try lastMatch(before: matches.count, in: viewport)
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
                // A limit counts the rows of the list, not the matches.
                let shown = Set(try context.fetchIDs(list))
                matches = matches.filter(shown.contains)
            }
        }
        isStale = false
    }

    private func rowPath(_ position: Int, in viewport: Viewport) throws(ObjectStorageError) -> RowPath? {
        let object = try controller.managedObjectContext.object(with: matches[position])
        guard let path = controller.indexPath(for: object) else { return nil }
        guard controller.sectionKey?.isNested == true, let sections = controller.sections else {
            return RowPath(path)
        }
        // The sections of the viewport are the subsections.
        return viewport.path(ofRow: sections[path[0]].rows.lowerBound + path[1])
    }

    private func nextMatch(from row: Int, in viewport: Viewport) throws(ObjectStorageError) -> RowPath? {
        for position in try firstPosition(from: row, in: viewport)..<matches.count {
            if let path = try rowPath(position, in: viewport) { return path }
        }
        return nil
    }

    private func lastMatch(before end: Int, in viewport: Viewport) throws(ObjectStorageError) -> RowPath? {
        for position in (0..<end).reversed() {
            if let path = try rowPath(position, in: viewport) { return path }
        }
        return nil
    }

    /// Returns the position, among the matches, of the first match at a row or below it.
    private func firstPosition(from row: Int, in viewport: Viewport) throws(ObjectStorageError) -> Int {
        var (low, high) = (0, matches.count)
        while low < high {
            let middle = (low + high) / 2
            // A match that another program wrote a moment ago may not be in the list yet.
            var probe = middle
            var path = try rowPath(probe, in: viewport)
            while path == nil, probe + 1 < high {
                probe += 1
                path = try rowPath(probe, in: viewport)
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
