#if DEBUG
import Foundation
#endif

/// A mistake that can be planted on purpose, to see whether the tests of change reports find it.
///
/// A debug build plants the one that the environment variable `SECTIONED_FETCH_SEEDED_BUG` names. In a release build none is planted, and
/// the compiler drops the places that ask.
package enum SeededBug: String, CaseIterable, Sendable {
    /// A row is said to move wherever its position among all rows changed.
    case absoluteMove
    /// An update has the new path as its old one, too.
    case shiftedUpdate
    /// Rows that read a changed related object are left out.
    case missedRelatedRow
    /// A window is brought up to date as if it were the whole list, so that it outgrows its limit.
    case windowEdge
    /// A section that is called something else is not reported.
    case unreportedName
    /// A section that lost its first row keeps the name that this gave it.
    case keptName
    /// Paths of deletions are those of the new results.
    case newDeletionPaths
    /// Unchanged rows may move as well.
    case movedUnchanged
    /// The rows of a section that goes are not reported as deleted.
    case unreportedRows
    /// What was reported when it was processed is reported again when it is saved.
    case repeatedReport
    /// Changes that other programs committed are passed over.
    case missedEpoch
    /// Rows that come are counted to the section before theirs.
    case sectionBoundary
    /// A change in which nothing changed is reported.
    case reportedNothing
    /// Rows that unsaved changes touched only in the store are forgotten when those are rolled back.
    case forgottenRollback
    /// The entry in the cache has the rows of before the change.
    case staleEntry

    #if DEBUG
    private static let planted = ProcessInfo.processInfo.environment["SECTIONED_FETCH_SEEDED_BUG"]
        .flatMap(Self.init)

    /// Whether this mistake is made.
    var isPlanted: Bool { self == Self.planted }
    #else
    /// Whether this mistake is made: never.
    @inline(__always) var isPlanted: Bool { false }
    #endif
}
