extension FetchRequest.Predicate {
    /// Whether the predicate holds for an object, its unsaved changes and those of related objects included.
    ///
    /// The answer is the one that a fetch gives once the changes are saved. An object that was never saved
    /// has no key yet, so that comparing its `objectID` with a number says nothing.
    ///
    /// - Throws: ``ObjectStorageError``: what a fetch would throw for the predicate, or a related row that
    ///   cannot be read.
    /// - Complexity: that of the relationships it reads. The predicate is checked each time; for many objects
    ///   use ``filtering(_:)``.
    public func evaluate(with object: Object) throws(ObjectStorageError) -> Bool {
        try filtering(CollectionOfOne(object)).isEmpty == false
    }

    /// The objects for which the predicate holds, in their order.
    ///
    /// - Throws: As ``evaluate(with:)``.
    public func filtering(_ objects: some Sequence<Object>) throws(ObjectStorageError) -> [Object] {
        var evaluators: [(entityName: String, evaluator: PredicateEvaluator)] = []
        var chosen: [Object] = []
        for object in objects {
            let entity = object.entity
            if evaluators.last?.entityName != entity.name {
                guard let context = object.managedObjectContext else {
                    throw ObjectStorageError(
                        .wrongContext,
                        "\(object.objectID): the object's context is gone, so no predicate can be evaluated. Keep the context as long as its objects.",
                        entityName: entity.name, objectID: object.objectID)
                }
                // A predicate about a parent entity knows nothing of what the sub-entities have.
                let declared = context.container.model.entity(named: Object.entityName)
                let subject = declared.flatMap { entity.isKind(ofEntityNamed: $0.name) ? $0 : nil } ?? entity
                evaluators = [
                    (entity.name, try PredicateEvaluator(tree, of: subject, model: context.container.model))
                ]
            }
            if let evaluator = evaluators.last?.evaluator, try evaluator.evaluate(with: object) {
                chosen.append(object)
            }
        }
        return chosen
    }
}
