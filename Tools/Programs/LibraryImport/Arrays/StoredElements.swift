import SectionedFetch

/// The elements of an array in the store, with those of their own arrays.
struct StoredElements {
    /// The elements in their order.
    var rows: [(primaryKey: Int64, values: [StoredValue])] = []
    /// For each element, the elements of each of its arrays.
    var nested: [[StoredElements]] = []
}
