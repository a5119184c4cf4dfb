import GRDB
import InternalUtilities

/// The changes between two states of tables.
package enum RowChangesResult: Hashable, Sendable {
    /// All rows that changed, and possibly some that did not, in the order of the requested tables. Tables
    /// without changes are omitted.
    case known([TableRowChanges])
    /// All changed rows as for ``known(_:)``, provided that a schema change in between is a `VACUUM`, as it
    /// appears to be.
    case knownAcrossVacuum([TableRowChanges])
    /// The log does not reach back to the state, or is incomplete. The reason is readable text.
    case unknown(reason: String)
}
