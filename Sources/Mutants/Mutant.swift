#if Mutants
import Foundation
#endif

/// A deliberate mistake that the tests and the fault programs must detect.
///
/// A build with the package trait `Mutants` makes the mistake that the environment variable
/// `SECTIONED_FETCH_MUTANT` names. Without the trait ``isPlanted`` is always false, and the compiler
/// removes the code of the mistakes.
package enum Mutant: String, CaseIterable, Sendable {
    // MARK: Validity of caches, and damage
    // Detected by the fault programs.

    /// The version stamp of a table is a counter instead of random bytes.
    case counterToken
    /// The version stamps are read in a different transaction than the rows.
    case tokenReadApart
    /// The digest of the schema does not cover triggers.
    case noTriggerDigest
    /// The structure of a cache file is not checked before liblmdb uses it.
    case noValidator
    /// The authentication code of a directory is not compared.
    case authenticationSkipped
    /// The authentication code does not cover the name of the cache.
    case authenticationWithoutName
    /// The fingerprint does not cover the predicate.
    case predicateLeftOut
    /// The fingerprint does not cover the directions of the sort descriptors.
    case sortDirectionLeftOut
    /// The parts of a fingerprint are combined by exclusive or.
    case combinedFingerprint
    /// Rows are identified by SQLite's implicit row IDs.
    case implicitRowIDs
    /// The order of rows that are equal in all sort descriptors is undefined.
    case noTieBreak
    /// The fingerprint does not cover the time zone.
    case timeZoneLeftOut
    /// Version stamps are valid even under a schema version that SQLite counted from zero, or under another
    /// schema version than when they were written.
    case countedVersion
    /// Objects of the schema that were dropped and created again are taken for the original ones.
    case unplacedLayout
    /// Triggers of other programs on the control tables are not detected.
    case foreignControl
    /// Only deletions clear the version stamp of a table.
    case deletionTriggerAlone
    /// Computed sections are published before their commit.
    case publishedBeforeCommit
    /// Sections that were computed in a write transaction are published.
    case publishedFromWrite
    /// Handles of named databases are used after their transaction was aborted.
    case staleHandle
    /// A forked child continues to use its parent's environment.
    case noProcessCheck
    /// A second copy of the library can open the same environment.
    case noGuard
    /// Open environments are identified by their paths.
    case registryByPath
    /// Names of caches end at their first NUL.
    case truncatedName
    /// Sections are identified by their texts after the repair of invalid UTF-8.
    case repairedSectionKey
    /// A cache answers after it was deleted.
    case servedAfterDeletion
    /// Pages that are both free and in use are not detected.
    case noFreeListCheck
    /// Statements read a temporary table of the same name.
    case shadowedTable
    /// Tables that other programs changed are not stamped.
    case noStamp
    /// The slots of readers that died are not cleared.
    case deadReadersKept
    /// Opening an environment waits for other processes that open it, without a limit.
    case unboundedWait
    /// Owners, modes and types of a cache's directory and files are not checked.
    case noDirectoryRules
    /// A directory of caches that was replaced or removed continues to be used.
    case replacedDirectoryKept
    /// The lock file's blocks are not reserved before LMDB maps it.
    case sparseLockFile
    /// The descriptor of a closed environment's directory stays open.
    case leakedDescriptor
    /// The version stamp of a table is the time of its last change in seconds instead of random bytes.
    case timedToken
    /// The fingerprint does not cover the versions of the libraries that sort and compute.
    case environmentLeftOut
    /// A cache is compared with the data only by the numbers of rows and sections.
    case comparedByCount
    /// A directory of caches that can no longer be opened is not replaced, and a new data file that could not
    /// be created completely is not removed.
    case noRecovery
    /// A statement that failed while reading is treated as having reached its end.
    case readErrorAsEnd
    /// Copy-on-write is not disabled for the lock file, and files are written on a disk that may have no
    /// room.
    case touchedWithoutRoom
    /// A full cache evicts no entries.
    case keptWhenFull
    /// A lack of memory is treated as damage to the file.
    case shortageIsDamage
    /// A fetch compares only the token of an entry, regardless of the requested verification level.
    case verificationIgnored
    /// Objects and arrays of a JSON file may be nested to any depth.
    case unlimitedNesting
    /// The texts of an entry's directory may begin and end outside it.
    case noOffsetCheck
    /// Symbolic links are followed to directories that look like discarded caches.
    case discardedLinkFollowed
    /// Statements on untrusted stores have no limits, and the stores' constraints are evaluated.
    case unlimitedStatements
    /// An untrusted store is opened like a trusted one.
    case trustedSchema
    /// The length of a store's identity is not checked.
    case uncheckedIdentity
    /// Bytes that are not UTF-8 are repaired without the option that requests it.
    case repairedInput
    /// The size of an imported file is not limited.
    case noSizeLimit
    /// The rows of a list that came from a cache are not read into memory.
    case rowsLeftInCache
    /// Rows that a cache lost are computed from the current state of the store, even if it differs from the
    /// state of the results.
    case rowsOfAnotherState
    /// A pinned context reads the current state of the store.
    case pinIgnored
    /// Rules of relationships are checked only for rows in memory.
    case unreachedRows
    /// A store that is read without locks is read without its write-ahead log.
    case logIgnored
    /// Entities that a store lacks are added before the first rows, in a separate transaction.
    case entityBeforeRows
    /// A store's connection is closed on the thread that uses it last.
    case queueEndAwaited
    /// A cache is opened even if it takes the descriptors and addresses that the store needs.
    case unreservedDescriptors

    /// The state of the files of an untracked store does not contain that of its write-ahead log.
    case logOfFilesLeftOut
    /// The state of the files of an untracked store does not contain the time of their last change.
    case fileTimesLeftOut

    // MARK: Change reports
    // Detected by the change replay.

    /// Every row whose position among all rows changed is reported as moved.
    case absoluteMove
    /// An update has the new path in place of the old one.
    case shiftedUpdate
    /// Rows that read a changed related object are not reported.
    case missedRelatedRow
    /// In a list of several entities, only changes of the first are followed.
    case missedMember
    /// A window is updated like a whole list, so that it exceeds its limit.
    case windowEdge
    /// A window that is taken from all rows ends one row after its limit.
    case windowEnd
    /// A window that is taken from all rows begins one row before its offset.
    case windowStart
    /// A window is taken from all rows as they were before the change.
    case windowStays
    /// A row that lost an object of a to-many relationship is not examined.
    case previousOwner
    /// A row that unsaved changes gave an object of a to-many relationship is not examined after a rollback.
    case touchedOwner
    /// A row with a to-many relationship to a changed object is not examined.
    case missedOwner
    /// Saved objects are assumed to keep their positions, regardless of the changed properties.
    case misjudgedUpdate
    /// The new name of a section is not reported.
    case unreportedName
    /// A section that lost its first row keeps the name of that row.
    case keptName
    /// The paths of deletions are paths in the new results.
    case newDeletionPaths
    /// Unchanged rows may be reported as moved.
    case movedUnchanged
    /// The rows of a deleted section are not reported as deleted.
    case unreportedRows
    /// A change that was reported when it was processed is reported again when it is saved.
    case repeatedReport
    /// External changes are ignored.
    case missedEpoch
    /// Inserted rows are assigned to the section before theirs.
    case sectionBoundary
    /// A change without a difference is reported.
    case reportedNothing
    /// Rows that unsaved changes touched only in the store are not compared after a rollback.
    case forgottenRollback
    /// The entry in the cache has the rows from before the change.
    case staleEntry
    /// Before the first event of a report, rows are found at their new paths.
    case newPathsBefore
    /// Commits of other contexts and programs before changes that the controller does not report are not
    /// reported either.
    case silentOthers
    /// The ID of a deleted row has the entity of the request instead of its own.
    case forgottenKind

    /// The mutants of change reports.
    package static let ofChangeReports = allCases.drop { $0 != .absoluteMove }
    /// The mutants of caches.
    package static let ofCaches = allCases.prefix { $0 != .absoluteMove }

    #if Mutants
    private static let planted = ProcessInfo.processInfo.environment["SECTIONED_FETCH_MUTANT"]
        .flatMap(Self.init)

    /// Whether the program makes this mistake.
    package var isPlanted: Bool { self == Self.planted }
    #else
    /// Whether the program makes this mistake: always false without the package trait `Mutants`.
    @inlinable package var isPlanted: Bool { false }
    #endif
}
