/// One end of a link table, seen from the relationship that begins there.
package struct LinkEnd {
    /// The table.
    package let table: LinkTable
    /// Whether the objects that have the relationship are the sources.
    package let isForward: Bool

    /// Creates an end of a link table.
    package init(table: LinkTable, isForward: Bool) {
        self.table = table
        self.isForward = isForward
    }

    /// The other end of the table.
    package var opposite: LinkEnd { LinkEnd(table: table, isForward: !isForward) }
    /// The column of the objects that have the relationship.
    package var ownColumn: String { isForward ? table.sourceSQL : table.targetSQL }
    /// The column of the objects to which the relationship leads.
    package var otherColumn: String { isForward ? table.targetSQL : table.sourceSQL }
    /// The column that orders the objects to which the relationship leads; nil for an unordered relationship.
    package var positionColumn: String? {
        if isForward {
            guard table.hasSourcePosition else { return nil }
            return table.existing?.orderColumn?.columnIdentifier ?? "sourcePosition"
        }
        guard table.hasTargetPosition else { return nil }
        return table.existing?.inverseOrderColumn?.columnIdentifier ?? "targetPosition"
    }
}
