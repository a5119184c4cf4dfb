/// The values that a row had before changes, and the properties that the changes wrote.
package struct PreviousRow: Hashable, Sendable {
    /// The values before the first change, by slot; nil if they are unknown.
    package private(set) var values: [StoredValue]?
    /// The slots that were written; nil if they are unknown.
    package private(set) var writtenSlots: Set<Int>?
    /// The to-many relationships that changed; nil if they are unknown.
    package private(set) var relationshipNames: Set<String>? = []
    /// The epoch in which the context read the values, modulo 65,536; nil for the values that the store had
    /// before the save of another context.
    package private(set) var readEpoch: UInt16?

    /// A changed row with unknown values and properties.
    static let unknown = Self(values: nil, writtenSlots: nil, relationshipNames: nil)

    private init(values: [StoredValue]?, writtenSlots: Set<Int>?, relationshipNames: Set<String>?) {
        self.values = values
        self.writtenSlots = writtenSlots
        self.relationshipNames = relationshipNames
    }

    /// Creates a row from the values that an object showed before a change, and those after it, which are nil
    /// for a deletion.
    init(_ before: [StoredValue], changedTo after: [StoredValue]?, readEpoch: UInt16) {
        values = before
        writtenSlots = after.map { after in
            Set(before.indices.filter { $0 >= after.count || before[$0] != after[$0] })
        }
        self.readEpoch = readEpoch
    }

    /// Creates a row with unchanged values, whose relationships in link tables changed.
    init(relinked names: Set<String>?) {
        self.init(values: nil, writtenSlots: [], relationshipNames: names)
    }

    /// Adds written slots.
    mutating func write(_ slots: some Sequence<Int>) { writtenSlots?.formUnion(slots) }

    /// Adds changed relationships in link tables.
    mutating func relink(_ names: Set<String>?) {
        relationshipNames = names.flatMap { relationshipNames?.union($0) }
    }

    /// The row for another context, whose objects did not show its values.
    var ofStore: Self {
        var row = self
        row.readEpoch = nil
        return row
    }

    /// Adds a later change of the row.
    mutating func append(_ later: Self) {
        if values == nil, writtenSlots?.isEmpty == true {
            // The earlier change was of relationships only.
            values = later.values
            readEpoch = later.readEpoch
        }
        writtenSlots = later.writtenSlots.flatMap { writtenSlots?.union($0) }
        relink(later.relationshipNames)
    }
}
