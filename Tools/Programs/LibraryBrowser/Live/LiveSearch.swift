import Foundation
import SectionedFetch
import TerminalTable
import ToolSupport

/// A text search over the rows of the list, in all shown columns.
///
/// Texts are found by a fetch with a predicate. Numbers, dates and other values are compared as they are
/// shown, by reading the rows, but only if the text has no character that these columns cannot have.
///
/// The fetch has the order of the list, so the matches have the order of the rows, and a binary search finds
/// the next match. Only the object IDs of the matches are kept.
struct LiveSearch {
    private let controller: FetchedResultsController<ManagedObject>
    /// The paths of the columns that a predicate can search.
    private let textPaths: [String]
    /// The other columns.
    private let otherColumns: [Column]
    private(set) var text = ""
    private(set) var matches: [ObjectID] = []
    /// Whether the matches must be fetched again.
    private(set) var isStale = false
    /// Returns whether the search stops, because a key may change its text.
    var isInterrupted: () -> Bool = { false }

    /// The number of rows that are read at a time.
    private static let batchSize = 500

    /// Creates a search of the columns, or returns nil without columns.
    init?(_ controller: FetchedResultsController<ManagedObject>, columns: [Column]) {
        guard !columns.isEmpty else { return nil }
        self.controller = controller
        textPaths = columns.filter { $0.property.kind == .attribute(.string) }.map(\.property.path)
        otherColumns = columns.filter { $0.property.kind != .attribute(.string) }
    }

    /// Sets the search text.
    mutating func search(for text: String) {
        self.text = text
        isStale = true
    }

    /// Ends a search that failed, without matches.
    mutating func cancel() { isStale = false }

    /// Marks the matches as stale after a change of the list, so that the next search fetches them again.
    mutating func listDidChange() { isStale = true }

    /// Returns the first match at a row or below it, continuing from the beginning of the list, or nil if the
    /// list has no match.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: That of SQLite's query, and O(*n* log *m*) in memory for *m* matches in a list of *n*
    ///   rows.
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
        guard !text.isEmpty else {
            isStale = false
            return
        }
        let list = controller.fetchRequest
        let context = controller.managedObjectContext
        var found: [ObjectID] = []
        if let condition = textCondition {
            var request = list
            request.predicate = list.predicate.map { $0 && condition } ?? condition
            request.fetchLimit = 0
            request.fetchOffset = 0
            found = try context.fetchIDs(request)
            if list.fetchLimit > 0 || list.fetchOffset > 0 {
                // A limit counts the rows of the list, not the matches.
                let shown = Set(try context.fetchIDs(list))
                found = found.filter(shown.contains)
            }
        }
        let columns = otherColumns.filter { $0.property.mayShow(text) }
        guard columns.isEmpty else {
            guard let all = try matches(besides: Set(found), in: columns) else { return }
            matches = all
            isStale = false
            return
        }
        matches = found
        isStale = false
    }

    /// The condition that a text column contains the text, or has no value.
    private var textCondition: FetchRequest<ManagedObject>.Predicate? {
        let conditions = textPaths.map { path in
            let contains = FetchRequest<ManagedObject>.Predicate.contains(
                path, text, ignoringCase: true, ignoringDiacritics: true)
            return text == ValueText.none ? contains || .isNil(path) : contains
        }
        return conditions.dropFirst().reduce(conditions.first) { all, next in all.map { $0 || next } }
    }

    /// Returns the rows of the list that are in a set or show the text in some columns; nil if the search was
    /// interrupted.
    ///
    /// - Complexity: O(*n*) in the rows of the list.
    private func matches(
        besides found: Set<ObjectID>, in columns: [Column]
    ) throws(ObjectStorageError) -> [ObjectID]? {
        var request = controller.fetchRequest
        request.fetchBatchSize = Self.batchSize
        let paths = columns.map(\.property.relationshipNames).filter { !$0.isEmpty }
        request.relationshipKeyPathsForPrefetching = Array(Set(paths.map { $0.joined(separator: ".") }))
            .sorted()
        let text = text.lowercased()
        var matches: [ObjectID] = []
        var isComplete = true
        try controller.managedObjectContext.forEachBatch(of: request) {
            objects throws(ObjectStorageError) in
            for object in objects {
                let isMatch = found.contains(object.objectID) || Self.shows(text, object, columns)
                if isMatch { matches.append(object.objectID) }
            }
            isComplete = !isInterrupted()
            return isComplete
        }
        return isComplete ? matches : nil
    }

    private static func shows(_ text: String, _ object: ManagedObject, _ columns: [Column]) -> Bool {
        columns.contains { column in
            do throws(ObjectStorageError) {
                let value = try column.property.value(for: object)
                guard !value.isNull else { return text == ValueText.none }
                return ValueText.text(value, of: column.property).lowercased().contains(text)
            } catch {
                // The row shows a question mark.
                return false
            }
        }
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

extension KeyPathProperty {
    /// Returns whether a shown value of the property may contain a text.
    fileprivate func mayShow(_ text: String) -> Bool {
        let text = text.lowercased()
        let digits = "0123456789"
        let characters: String
        switch kind {
        case _ where text == ValueText.none: return true
        case .attribute(.string), .attribute(.uri): return true
        case .attribute(.boolean): return "true".contains(text) || "false".contains(text) || text == "1"
        case .attribute(.date): characters = digits + "-:.tz"
        case .attribute(.uuid): characters = digits + "abcdef-"
        case .attribute(.binaryData), .attribute(.transformable): characters = digits + ", bytes"
        case .attribute(.integer16), .attribute(.integer32), .attribute(.integer64), .attribute(.double),
            .attribute(.float), .attribute(.decimal):
            characters = digits + "+-.einfa"
        case .toOne(let destination): characters = digits + "/" + destination.lowercased()
        case .objectID: return true
        }
        return text.allSatisfy(characters.contains)
    }
}
