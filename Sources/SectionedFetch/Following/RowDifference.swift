import ObjectStorage

/// The values that a row of the results had before a change, and the properties that changed.
struct RowDifference: Hashable, Sendable {
    /// The values of the object before the change; nil if they are unknown.
    var oldValues: ObjectValues?
    /// The names of the changed properties of the object, and the key paths of those of related objects; nil
    /// if they are unknown.
    var changedProperties: Set<String>?
    /// The values of related objects before the change, by key path, as far as they are known.
    var oldRelatedValues: [String: StoredValue] = [:]
}
