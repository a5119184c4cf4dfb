public import ObjectStorage

/// The properties whose changes are reported as updates of rows.
extension FetchedResultsController {
    /// Reports updates of rows only for changes of some properties.
    ///
    /// ```swift
    /// controller.reportUpdates(of: \.title, \.artist?.name)
    /// ```
    ///
    /// Rows are inserted, deleted and moved as before. An update is reported in any case if the properties
    /// that changed are unknown (``ResultsChange/RowEvent/changedProperties``). A change of the relationship
    /// itself counts as a change of the properties that are named through it.
    ///
    /// - Parameter keyPaths: The properties. A property of a related object must be one that the request
    ///   reads or displays (``/ObjectStorage/FetchRequest/displaying(_:)``); changes of others are never
    ///   reported.
    public func reportUpdates<each Value>(of keyPaths: repeat KeyPath<Object, each Value>) {
        var names: Set<String> = []
        for keyPath in repeat each keyPaths { names.insert(KeyExpression.path(keyPath).path) }
        reportedProperties = names
    }

    /// Reports updates of rows only for changes of some properties, given by their names and key paths.
    ///
    /// - Parameter names: The properties; nil for all.
    /// - Throws: ``/ObjectStorage/ObjectStorageError`` if the entity has no such property, or a key path
    ///   leads to objects that the request neither reads nor displays.
    public func reportUpdates(ofPropertiesNamed names: Set<String>?) throws(ObjectStorageError) {
        for name in names ?? [] { try request.checkFollowed(name) }
        reportedProperties = names
    }

    /// Whether an event is reported.
    func reports(_ event: ResultsChange.RowEvent) -> Bool {
        guard event.kind == .update, let reportedProperties, let changed = event.changedProperties else {
            return true
        }
        return changed.contains { changed in
            reportedProperties.contains { reported in
                reported == changed || reported.hasPrefix(changed + ".") || changed.hasPrefix(reported + ".")
            }
        }
    }
}

extension ResultsRequest {
    /// Checks that changes of the property at a dotted key path are followed.
    fileprivate func checkFollowed(_ path: String) throws(ObjectStorageError) {
        var entity = try model.requireList(named: request.entityName)
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (position, name) in names.enumerated() {
            guard position < names.count - 1 else {
                guard entity.attribute(named: name) == nil, entity.relationship(named: name) == nil else {
                    continue
                }
                throw entity.unknownProperty(name)
            }
            guard let relationship = entity.relationship(named: name) else {
                throw entity.unknownProperty(name)
            }
            let walked = Array(names[...position])
            guard
                relatedPaths.contains(where: { $0.path == walked })
                    || shownSteps.contains(where: { $0.path == walked })
            else {
                throw ObjectStorageError(
                    .invalidRequest,
                    "Changes at “\(path)” are not followed, because the request for “\(request.entityName)” neither reads nor displays it. Add it to displayedKeyPaths.",
                    entityName: request.entityName, propertyName: path)
            }
            entity = try model.requireEntity(named: relationship.destinationEntityName)
        }
    }
}
