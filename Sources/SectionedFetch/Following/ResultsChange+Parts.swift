import Foundation
public import ObjectStorage

/// The part of a change that concerns one section, or one object.
extension ResultsChange {
    /// Returns the part of the change that concerns a section, or nil if the section did not change.
    ///
    /// A row that moved into the section is an insertion, and one that moved out of it is a deletion. Index
    /// paths are those of the whole results. A reload is a reload of the section as well.
    ///
    /// - Parameter identity: The identity of the section: ``SectionInfo/identity``.
    /// - Complexity: O(*n*) in the number of events.
    public func part(ofSection identity: [UInt8]) -> ResultsChange? {
        var deletions: [RowEvent] = []
        var insertions: [RowEvent] = []
        var others: [RowEvent] = []
        for event in rowEvents {
            switch (event.oldSection?.identity == identity, event.newSection?.identity == identity) {
            case (true, true): others.append(event)
            case (true, false): deletions.append(event.asDeletion)
            case (false, true): insertions.append(event.asInsertion)
            case (false, false): break
            }
        }
        let part = ResultsChange(
            sectionEvents: sectionEvents.filter { $0.identity == identity },
            subsectionEvents: subsectionEvents.filter { $0.sectionIdentity == identity },
            rowEvents: deletions.fromTheEnd + insertions.fromTheBeginning + others, isReload: isReload)
        return part.isEmpty ? nil : part
    }

    /// Returns the event of an object, or nil if it has none. A reload has no events of objects.
    ///
    /// - Parameter objectID: The identity of the object, also the temporary one that it had before its first
    ///   save.
    /// - Complexity: O(*n*) in the number of events.
    public func event(of objectID: ObjectID) -> RowEvent? {
        let key = objectID.isTemporary ? objectID.primaryKey : nil
        return rowEvents.first { event in
            event.objectID == objectID
                || key != nil && !event.objectID.isTemporary && event.objectID.primaryKey == key
        }
    }
}

extension ResultsChange.RowEvent {
    /// The event as a deletion at its old path.
    var asDeletion: Self {
        Self(
            kind: .deletion, objectID: objectID, indexPath: indexPath, newIndexPath: nil,
            oldSection: oldSection, newSection: nil, difference: difference)
    }

    /// The event as an insertion at its new path.
    var asInsertion: Self {
        Self(
            kind: .insertion, objectID: objectID, indexPath: nil, newIndexPath: newIndexPath,
            oldSection: nil, newSection: newSection, difference: nil)
    }
}

/// The order of events in a change, for moves that became deletions and insertions.
extension [ResultsChange.RowEvent] {
    /// The deletions from the last row to the first.
    var fromTheEnd: Self { sorted { ($1.indexPath ?? []) < ($0.indexPath ?? []) } }

    /// The insertions from the first row to the last.
    var fromTheBeginning: Self { sorted { ($0.newIndexPath ?? []) < ($1.newIndexPath ?? []) } }
}
