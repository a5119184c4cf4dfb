import SectionedFetch

extension Importer {
    /// Gives the current row the values of an existing row for which the file has none, or the default values
    /// if no such row exists.
    ///
    /// - Parameter old: The values of the existing row, or nil.
    /// - Throws: `ObjectStorageError` for a new row without a value that the mapping requires.
    func keepOtherValues(
        of old: [StoredValue]?, row: Int, of chunk: RowChunk, in tables: Tables
    ) throws(ObjectStorageError) {
        for column in tables.otherColumns { tables.row[column] = old?[column] ?? tables.defaults[column] }
        guard !chunk.absentValues.isEmpty else { return }
        let first = row * tables.width
        for (column, position) in tables.attributePositions + tables.relationshipPositions
        where chunk.absentValues.contains(first + position) {
            tables.row[column] = old?[column] ?? tables.defaults[column]
            guard old == nil, tables.row[column].isNull, position < mapping.attributes.count,
                !mapping.attributes[position].isOptional
            else { continue }
            throw ObjectStorageError(
                .missingValue,
                "“\(mapping.entity).\(mapping.attributes[position].name)” must have a value.",
                entityName: mapping.entity, propertyName: mapping.attributes[position].name)
        }
    }
}
