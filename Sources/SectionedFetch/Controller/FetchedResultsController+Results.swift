public import Foundation
public import ObjectStorage
import SectionCaching

extension FetchedResultsController {
    /// The sections in order; nil before the first fetch.
    ///
    /// Without a section key the list has one section, also when it has no rows. Each access to an element
    /// makes a new section and asks the delegate for its index title.
    public var sections: SectionList<Object>? {
        results.map { results in
            SectionList(
                sections: results.shown, allObjects: results.objects, lookup: results.sectionLookup,
                collapsed: collapsedSections
            ) { [weak self] in
                self?.delegateTitle($0)
            }
        }
    }

    /// All objects in order, across sections; nil before the first fetch. Rows are read in batches when they
    /// are accessed.
    public var fetchedObjects: FetchedObjects<Object>? { results?.objects }

    /// The results as an immutable value, for use on another thread or for comparison; nil before the first
    /// fetch, and between a reset of the context and the next fetch.
    ///
    /// - Complexity: O(*u*) in the number of unsaved objects.
    public var snapshot: ResultsSnapshot<Object>? { results.map { snapshot(of: $0, after: nil) } }

    /// Returns results as a snapshot.
    ///
    /// - Parameter change: The change that led to them.
    func snapshot(of results: Results, after change: ResultsChange?) -> ResultsSnapshot<Object> {
        var unsaved: [Int64: ObjectID] = [:]
        for (object, key) in results.provisionalKeys { unsaved[key] = object.objectID }
        // In a child context, the unsaved objects of its ancestors are rows.
        var ancestor = managedObjectContext.parent
        while let context = ancestor {
            for object in context.insertedObjects {
                guard let offset = results.request.list?.keyOffset(ofObjectOf: object.entity) else {
                    continue
                }
                unsaved[object.objectID.unsavedKey &+ offset] = object.objectID
            }
            ancestor = context.parent
        }
        let identities = SnapshotIdentities(
            results.rows, entityName: results.fetchRequest.entityName, in: managedObjectContext,
            unsaved: unsaved, includesSubentities: results.fetchRequest.includesSubentities)
        return ResultsSnapshot(results.shown, identities, of: results.fetchRequest, after: change)
    }

    /// Returns the object at a path. A path outside the results, and a call before the first fetch, are
    /// programmer errors and trap; ``objectIfPresent(at:)`` returns nil instead.
    ///
    /// - Parameter indexPath: A path with a section and a row in it or, in nested sections, a section, a
    ///   subsection and a row.
    /// - Complexity: O(1), plus reading a batch of rows if the row was not read yet.
    public func object(at indexPath: IndexPath) -> Object {
        guard let object = objectIfPresent(at: indexPath) else {
            guard let results else { preconditionFailure("Call performFetch() before object(at:).") }
            let counts = (0..<min(results.shown.count, 20)).map { String(results.shown.rows(of: $0).count) }
            let contents =
                counts.isEmpty
                ? "are empty"
                : "have \(results.shown.count) sections with \(counts.joined(separator: ", ")) rows"
            preconditionFailure(
                "The index path \(Array(indexPath)) is outside the results, which \(contents).")
        }
        return object
    }

    /// Returns the object at a path, or nil if the path is outside the results or nothing was fetched yet.
    ///
    /// - Parameter indexPath: A path with a section and a row in it or, in nested sections, a section, a
    ///   subsection and a row. Nil is the result for any other number of components.
    /// - Complexity: As ``object(at:)``.
    public func objectIfPresent(at indexPath: IndexPath) -> Object? {
        guard let results, let position = results.shown.row(at: indexPath) else { return nil }
        return results.objects[position]
    }

    /// Returns the path of an object, with its section and the row in it, or nil if the object is not in the
    /// results.
    ///
    /// - Parameter object: An object of the controller's context. The result for an object of another context
    ///   is nil.
    /// - Complexity: O(*n*) in the number of rows: a scan of their keys, some milliseconds for a million.
    ///   While changes are followed, only the first call scans them.
    public func indexPath(for object: Object) -> IndexPath? {
        guard let results, let position = position(of: object) else { return nil }
        let section = results.shown.position(containing: position)
        return IndexPath(row: position - results.shown.rows(of: section).lowerBound, section: section)
    }

    /// Returns the path of an object in nested sections: section, subsection and row; nil if the object is
    /// not in the results, or sections are not nested.
    ///
    /// - Parameter object: An object of the controller's context. The result for an object of another context
    ///   is nil.
    /// - Complexity: As ``indexPath(for:)``.
    public func nestedIndexPath(for object: Object) -> IndexPath? {
        guard let results, results.shown.isNested, let position = position(of: object) else { return nil }
        let subsection = results.index.sectionPosition(containing: position)
        let row = position - results.index.rows(ofSection: subsection).lowerBound
        return NestedChange.path([subsection, row], in: results.shown)
    }

    /// Returns the position of an object among all rows, or nil if it is not in the results.
    private func position(of object: Object) -> Int? {
        guard let results, object.managedObjectContext === managedObjectContext,
            let key = key(of: object, in: results), let position = position(of: key, in: results)
        else { return nil }
        return position
    }

    /// Returns the key of an object in the results; nil for an object that a list of the request cannot
    /// contain.
    private func key(of object: Object, in results: Results) -> Int64? {
        if let key = results.provisionalKeys[object] { return key }
        guard let key = object.rowKey, let list = results.request.list,
            let offset = list.keyOffset(ofObjectOf: object.entity),
            results.fetchRequest.includesSubentities || object.entity.name == list.name
        else { return nil }
        return key &+ offset
    }

    private func position(of key: Int64, in results: Results) -> Int? {
        guard follower != nil, !results.rows.isUnreadable, let found = results.editor.positions(of: [key])
        else { return results.rows.position(of: key) }
        return found[0]
    }
}
