import ToolSupport

/// The numbers of elements of an array that an import writes, with those of the elements' arrays.
struct ElementChanges {
    var inserted = 0
    var updated = 0
    var deleted = 0

    /// Whether nothing was written.
    var isEmpty: Bool { inserted + updated + deleted == 0 }

    /// Adds the changes of other elements.
    mutating func add(_ other: ElementChanges) {
        inserted += other.inserted
        updated += other.updated
        deleted += other.deleted
    }

    /// The numbers as JSON.
    var json: JSONValue {
        ["inserted": .count(inserted), "updated": .count(updated), "deleted": .count(deleted)]
    }
}
