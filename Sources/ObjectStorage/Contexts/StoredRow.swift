/// A row of a table of objects as it is stored, for programs that copy or compare whole tables without
/// objects.
package struct StoredRow {
    /// The key of the object.
    package let key: Int64
    /// The entity of the object.
    package let entity: EntityDescription
    /// The values by slot: the stored attributes, the keys of to-one relationships, then the positions in
    /// ordered inverses. A value that does not fit its attribute is included as it is.
    package var values: [StoredValue]
    /// The values of the columns that store values in another form, by slot, without bytes with a prefix.
    package var columnValues: [Int: StoredValue] = [:]
    /// The slots of texts that are not valid UTF-8, whose invalid bytes were replaced with U+FFFD.
    package var repairedSlots: [Int] = []
    /// The files beside the store that contain values and cannot be read, by slot. The values are null.
    package var missingFiles: [Int: String] = [:]

    /// The number of bytes of the texts and blobs.
    package var byteCount: Int {
        values.reduce(0) { count, value in
            switch value {
            case .text(let text): count + text.utf8.count
            case .blob(let bytes): count + bytes.count
            default: count
            }
        }
    }
}

/// A row of a link table: the pair of keys, and its positions in the two orders.
package struct StoredLink {
    /// The key of the object that has the relationship.
    package let owner: Int64
    /// The key of the object to which the relationship leads.
    package let member: Int64
    /// The position among the members of the owner; null for an unordered relationship.
    package let position: StoredValue
    /// The position among the owners of the member; null for an unordered inverse, or none.
    package let inversePosition: StoredValue
    /// Whether both objects exist. Other pairs are not part of any relationship.
    package let isComplete: Bool
}
