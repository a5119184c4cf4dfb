public import Foundation
import ObjectStorage

/// The changes of one section, and of one object.
extension FetchedResultsController {
    /// Returns a sequence of the changes of one section.
    ///
    /// ```swift
    /// for await change in controller.changes(inSection: section.id) { apply(change.events) }
    /// ```
    ///
    /// Each element is the part of one of the ``changes`` that concerns the section, as
    /// ``ResultsChange/part(ofSection:)`` returns it; other changes have no element. The sequence continues
    /// if the section is deleted, because it may come back.
    ///
    /// - Parameter identity: The identity of the section: ``SectionInfo/identity``.
    public func changes(
        inSection identity: [UInt8]
    ) -> some AsyncSequence<ResultsChange, Never> & Sendable {
        changes.compactMap { $0.part(ofSection: identity) }
    }

    /// Returns a sequence of the changes of the object that is at a path now, also after it moves.
    ///
    /// The sequence continues if the object is deleted from the results, because it may come back.
    ///
    /// - Parameter indexPath: A path inside the results; others are a programmer error and trap.
    public func changes(
        ofObjectAt indexPath: IndexPath
    ) -> some AsyncSequence<ResultsChange.ObjectChange, Never> & Sendable {
        let objectID = object(at: indexPath).objectID
        return changes.compactMap { change in
            change.isReload ? .reload : change.event(of: objectID).map(ResultsChange.ObjectChange.event)
        }
    }
}

extension ResultsChange {
    /// A change of one object of the results.
    public enum ObjectChange: Hashable, Sendable {
        /// The object's row was inserted, deleted, moved or updated.
        case event(RowEvent)
        /// The results were reloaded. The object may have any other path, or none.
        case reload
    }
}
