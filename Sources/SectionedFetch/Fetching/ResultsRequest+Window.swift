import Mutants
import ObjectStorage
import SectionCaching

extension ResultsRequest {
    /// Whether the request has a limit or an offset.
    var isWindow: Bool { request.limit > 0 || request.offset > 0 }

    /// Whether a window can be taken from an index of all rows. With an offset, it cannot if sections have
    /// the names of their first rows, because a section may have another first row in the window.
    var canTakeWindow: Bool {
        isWindow && isFollowedByLog && (sectionKey?.nameExpression == nil || request.offset == 0)
    }

    /// Returns the request for all rows.
    ///
    /// - Throws: ``ObjectStorageError``, as the initializer does.
    func withoutWindow(_ container: PersistentContainer) throws(ObjectStorageError) -> ResultsRequest {
        if let known = details.withoutWindow { return known }
        var all = request
        (all.limit, all.offset) = (0, 0)
        let made = try ResultsRequest(all, sectionKey: sectionKey, container: container)
        details.withoutWindow = made
        return made
    }

    /// Returns the rows of the limit and the offset from an index of all rows, in sections.
    ///
    /// - Returns: Nil if rows of the index can no longer be read.
    /// - Complexity: O(*l* + *d* + log *s*) for *l* rows of the window, *d* declared sections and *s*
    ///   sections.
    func window(of all: SectionIndex) -> SectionIndex? {
        let count = all.numberOfRows
        var start = min(request.offset, count)
        if Mutant.windowStart.isPlanted, start > 0 { start -= 1 }
        let limit = request.limit + (Mutant.windowEnd.isPlanted ? 1 : 0)
        let end = request.limit > 0 && limit < count - start ? start + limit : count
        guard let keys = all.rowIDs(in: start..<end) else { return nil }
        var builder = SectionIndex.Builder()
        guard let names else {
            builder.beginSection(identity: [], name: "", indexTitle: "")
            for key in keys { builder.append(key) }
            return builder.finish()
        }
        func add(_ section: SectionIndex.Section) {
            let rows = section.rows.clamped(to: start..<end)
            let name = rows.isEmpty ? names.nameOfEmptySection(section.identity) : section.name
            builder.beginSection(
                identity: section.identity, name: name,
                indexTitle: SectionName.indexTitle(of: name, key: sectionKey))
            for row in rows { builder.append(keys[row - start]) }
        }
        // Declared sections come first, and exist also without rows.
        let declared = declaredIdentities.count
        for position in 0..<declared { add(all.section(at: position)) }
        guard start < end else { return builder.finish() }
        var position = max(declared, all.sectionPosition(containing: start))
        while position < all.numberOfSections, all.rows(ofSection: position).lowerBound < end {
            add(all.section(at: position))
            position += 1
        }
        return builder.finish()
    }
}
