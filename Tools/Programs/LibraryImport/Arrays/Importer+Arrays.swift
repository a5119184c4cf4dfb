import SectionedFetch
import ToolSupport

/// Arrays whose elements become related objects.
extension Importer {
    /// Returns the elements of the arrays of a row, one list for each array of the mapping; nil for an array
    /// that the record does not have, if existing rows keep what it lacks.
    ///
    /// - Throws: `ObjectStorageError` for a bad element, which makes the whole record bad.
    func elements(row: Int, of chunk: RowChunk, in tables: Tables) throws(ObjectStorageError)
        -> [[ElementRow]?]
    {
        let first = row * tables.width + mapping.attributes.count + mapping.relationships.count
        var elements: [[ElementRow]?] = []
        for (position, array) in mapping.arrayColumns.enumerated() {
            if chunk.absentValues.contains(first + position) {
                elements.append(nil)
                continue
            }
            var text: String?
            if case .text(let found) = chunk.values[first + position] { text = found }
            let rows = try ElementRow.rows(text, of: array, policy: options.changePolicy)
            try tables.elements[position].check(rows)
            elements.append(rows)
        }
        return elements
    }

    /// Reads the present elements of a row, and checks that those that the new arrays delete are not used.
    ///
    /// - Parameters:
    ///   - elements: The new elements.
    ///   - key: The primary key of the row; nil for a new one.
    /// - Throws: `ObjectStorageError` for a used element, which makes the whole record bad.
    func storedElements(
        besides elements: [[ElementRow]?], of key: Int64?, in tables: Tables
    ) throws(ObjectStorageError) -> [StoredElements] {
        var stored: [StoredElements] = []
        for (position, rows) in elements.enumerated() {
            guard let key, let rows else {
                stored.append(StoredElements())
                continue
            }
            let table = tables.elements[position]
            stored.append(try table.stored(of: key))
            try table.checkRemovals(
                of: stored[position], with: rows, at: mapping.arrayColumns[position].column)
        }
        return stored
    }

    /// Writes the elements of the arrays of a row.
    ///
    /// - Returns: The numbers of written elements of each array.
    func write(
        _ elements: [[ElementRow]?], besides stored: [StoredElements], of key: Int64, in tables: Tables
    ) throws(ObjectStorageError) -> [ElementChanges] {
        do throws(ObjectStorageError) {
            var changes: [ElementChanges] = []
            for (position, rows) in elements.enumerated() {
                changes.append(
                    try rows.map { rows throws(ObjectStorageError) in
                        try tables.elements[position].replace(
                            of: key, stored[position], with: rows, noteInserted: noteElement)
                    } ?? ElementChanges())
            }
            return changes
        } catch {
            // The row is written already, so the error must end the batch.
            throw ObjectStorageError(
                .constraintViolation, "The elements of a row cannot be written: \(error.message)",
                entityName: error.entityName, propertyName: error.propertyName)
        }
    }

    private func noteElement(of entity: String) { summary.createdRelated += 1 }
}
