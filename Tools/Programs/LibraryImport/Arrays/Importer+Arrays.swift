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

    /// Writes the elements of the arrays of a row.
    ///
    /// - Returns: Whether anything was written.
    func write(
        _ elements: [[ElementRow]?], of key: Int64, isNew: Bool, in tables: Tables
    ) throws(ObjectStorageError) -> Bool {
        var isChanged = false
        do throws(ObjectStorageError) {
            for (table, rows) in zip(tables.elements, elements) {
                guard let rows else { continue }
                if try table.replace(of: key, isNew: isNew, with: rows, noteInserted: noteElement) {
                    isChanged = true
                }
            }
        } catch {
            // The row is written already, so the error must end the batch.
            throw ObjectStorageError(
                .constraintViolation, "The elements of a row cannot be written: \(error.message)",
                entityName: error.entityName, propertyName: error.propertyName)
        }
        return isChanged
    }

    private func noteElement(of entity: String) { summary.createdRelated += 1 }
}
