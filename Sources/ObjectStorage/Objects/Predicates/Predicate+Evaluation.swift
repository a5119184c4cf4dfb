extension FetchRequest.Predicate {
    /// Returns whether an object satisfies the predicate, with its unsaved changes and those of related
    /// objects.
    ///
    /// The result is the one that a fetch gives after the changes are saved. An object that was never saved
    /// has no key, so its `objectID` does not equal any number.
    ///
    /// - Parameter object: The object. Its context must exist; otherwise the error is
    ///   ``ObjectStorageError/Code/wrongContext``.
    /// - Throws: ``ObjectStorageError``: the error that a fetch throws for the predicate, or an error that a
    ///   related row cannot be read.
    /// - Complexity: That of the relationships that the predicate reads. The predicate is validated in each
    ///   call; for many objects use ``filtering(_:)``.
    public func evaluate(with object: Object) throws(ObjectStorageError) -> Bool {
        try filtering(CollectionOfOne(object)).isEmpty == false
    }

    /// Returns the objects that satisfy the predicate, in their order.
    ///
    /// - Parameter objects: The objects, whose contexts must exist.
    /// - Throws: As ``evaluate(with:)``.
    /// - Complexity: O(*n*) in the number of objects, plus that of the relationships that the predicate
    ///   reads. The predicate is validated once for successive objects of one entity.
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
                // A predicate about a parent entity cannot use properties of sub-entities.
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
