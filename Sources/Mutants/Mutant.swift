#if Mutants
import Foundation
#endif

/// A mistake that can be planted on purpose, to see whether the programs that look for mistakes find it.
///
/// A debug build plants the one that the environment variable `SECTIONED_FETCH_MUTANT` names. In a
/// release build none is planted, and the compiler drops the places that ask.
package enum Mutant: String, CaseIterable, Sendable {
    // MARK: Validity of caches, and damage
    // Found by the fault programs.

    /// The state of a table is a counter, not random bytes.
    case counterToken
    /// The state of the tables is read in another transaction than the rows.
    case tokenReadApart
    /// The digest of the schema is without the triggers.
    case noTriggerDigest
    /// The structure of a cache file is not checked before liblmdb uses it.
    case noValidator
    /// The authentication code of a directory is not compared.
    case authenticationSkipped
    /// The authentication code does not cover the name of the cache.
    case authenticationWithoutName
    /// The fingerprint is without the predicate.
    case predicateLeftOut
    /// The fingerprint is without the directions of the sort descriptors.
    case sortDirectionLeftOut
    /// The parts of a fingerprint are combined by exclusive or.
    case combinedFingerprint
    /// Rows are known by SQLite's implicit row IDs.
    case implicitRowIDs
    /// Rows that are equal in all sort descriptors are in no certain order.
    case noTieBreak
    /// The fingerprint is without the time zone.
    case timeZoneLeftOut
    /// The version of a store's schema is counted from zero, as in every database.
    case countedVersion
    /// Objects of the schema that were made again are taken for those that were there.
    case unplacedLayout
    /// Triggers of others on the control tables are not looked for.
    case foreignControl
    /// Only deletions change the state of a table.
    case deletionTriggerAlone
    /// What was computed is published before it was committed.
    case publishedBeforeCommit
    /// What was computed in a write transaction is published.
    case publishedFromWrite
    /// Handles of named databases are used on after their transaction was aborted.
    case staleHandle
    /// A forked child goes on using its parent's environment.
    case noProcessCheck
    /// Nothing keeps a second copy of the library from opening an environment.
    case noGuard
    /// Open environments are known by their paths.
    case registryByPath
    /// Names of caches end at their first NUL.
    case truncatedName
    /// Sections are told apart by their texts after invalid UTF-8 was repaired.
    case repairedSectionKey
    /// A cache answers after it was deleted.
    case servedAfterDeletion
    /// Free pages that are also in use are not found.
    case noFreeListCheck
    /// Statements read a temporary table of the same name.
    case shadowedTable
    /// Tables that other programs changed are not stamped.
    case noStamp
    /// The slots of readers that died are not cleared.
    case deadReadersKept
    /// Whoever opens an environment waits for others who do, however long that takes.
    case unboundedWait
    /// Owners, modes and kinds of a cache's directory and files are not looked at.
    case noDirectoryRules
    /// A directory of caches that was replaced or removed goes on to be used.
    case replacedDirectoryKept
    /// The lock file's blocks are not set aside before LMDB maps it.
    case sparseLockFile
    /// The descriptor of a closed environment's directory stays open.
    case leakedDescriptor
    /// The state of a table is the second of its last change, not random bytes.
    case timedToken
    /// The fingerprint is without the versions of the libraries that sort and compute.
    case environmentLeftOut
    /// A cache is compared with the data by the numbers of rows and sections alone.
    case comparedByCount
    /// A directory of caches that cannot be opened any more is left as it is, and so is a new one that could
    /// not be made.
    case noRecovery
    /// A statement that SQLite could not go on with counts as one that came to its end.
    case readErrorAsEnd
    /// The lock file is not kept in place, and touched where there may be no room for another.
    case touchedWithoutRoom
    /// Nothing gives way in a cache that is full.
    case keptWhenFull
    /// That there is no memory is taken for damage to the file.
    case shortageIsDamage
    /// A fetch verifies what a cache says no further than its token, whatever it was asked for.
    case verificationIgnored
    /// Objects and arrays of a file may be in each other to any depth.
    case unlimitedNesting
    /// A directory's texts may begin and end outside of it.
    case noOffsetCheck
    /// Links are followed to directories that look like discarded caches.
    case discardedLinkFollowed
    /// Statements on stores of others have no limits, and constraints of theirs are evaluated.
    case unlimitedStatements
    /// A store that somebody else may have prepared is opened as one of our own.
    case trustedSchema
    /// A store's identity is taken as it is, whatever its length.
    case uncheckedIdentity
    /// Bytes that are not UTF-8 are repaired where nobody asked for it.
    case repairedInput
    /// A file is imported however large it is.
    case noSizeLimit
    /// The rows of a list that came from a cache are not read into memory.
    case rowsLeftInCache
    /// Rows that a cache lost are computed from whatever state the store is in.
    case rowsOfAnotherState
    /// A context that is pinned reads whatever state the store is in.
    case pinIgnored
    /// Rules of relationships hold only for rows that are in memory.
    case unreachedRows
    /// A store that is read without locks is read without its write-ahead log.
    case logIgnored
    /// What a store lacks of a model is made before the first rows, in a transaction of its own.
    case entityBeforeRows
    /// A store's connection is given up on the thread that uses it last.
    case queueEndAwaited
    /// A cache is opened also where it takes the descriptors and the addresses that the store needs.
    case unreservedDescriptors

    // MARK: Change reports
    // Found by the change replay.

    /// A row is said to move wherever its position among all rows changed.
    case absoluteMove
    /// An update has the new path as its old one, too.
    case shiftedUpdate
    /// Rows that read a changed related object are left out.
    case missedRelatedRow
    /// A window is brought up to date as if it were the whole list, so that it outgrows its limit.
    case windowEdge
    /// Saved objects are taken to keep their places, whatever of them changed.
    case misjudgedUpdate
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
    /// Before the first event rows are looked for where they will be.
    case newPathsBefore
    /// What others committed before or during a silence is part of it.
    case silentOthers
    /// A row that is gone is called after the entity of the request.
    case forgottenKind

    /// Those of change reports.
    package static let ofChangeReports = allCases.drop { $0 != .absoluteMove }
    /// Those of caches.
    package static let ofCaches = allCases.prefix { $0 != .absoluteMove }

    #if Mutants
    private static let planted = ProcessInfo.processInfo.environment["SECTIONED_FETCH_MUTANT"]
        .flatMap(Self.init)

    /// Whether this mistake is made.
    package var isPlanted: Bool { self == Self.planted }
    #else
    /// Whether this mistake is made: never.
    @inlinable package var isPlanted: Bool { false }
    #endif
}
