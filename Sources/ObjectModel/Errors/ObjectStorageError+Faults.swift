extension ObjectStorageError {
    /// Throws the given faults as one error: a single fault unchanged; for several, an error with the code
    /// and object of the first and with all of them in ``ObjectStorageError/faults``. Does nothing if the
    /// list is empty.
    package static func throwAll(_ faults: [ObjectStorageError]) throws(ObjectStorageError) {
        guard let first = faults.first else { return }
        guard faults.count > 1 else { throw first }
        let shown = faults.prefix(maximumShownFaults).map { "\n- \($0.message)" }.joined()
        let rest = faults.count - maximumShownFaults
        var error = ObjectStorageError(
            first.code, "\(faults.count) faults:\(shown)\(rest > 0 ? "\n- and \(rest) more" : "")",
            entityName: first.entityName, propertyName: first.propertyName, objectID: first.objectID,
            faults: faults)
        error.underlying = first.underlying
        throw error
    }

    /// Returns whether another error has the same code and concerns the same property of the same object.
    package func isSameFault(_ other: ObjectStorageError) -> Bool {
        code == other.code && objectID == other.objectID && propertyName == other.propertyName
    }

    /// The number of faults that a message lists.
    private static var maximumShownFaults: Int { 20 }

    /// Returns the fault of a required property without a value.
    package static func missingValue(_ name: String, of objectID: ObjectID, _ outcome: String) -> Self {
        Self(
            .missingValue,
            "\(objectID): “\(name)” must have a value. Assign one, or declare the property optional. \(outcome)",
            entityName: objectID.entityName, propertyName: name, objectID: objectID)
    }

    /// Returns the fault of a relationship that leads to too few or too many objects.
    package static func wrongCount(
        _ count: Int, _ allowed: ClosedRange<Int>, _ name: String, of objectID: ObjectID, _ outcome: String
    ) -> Self {
        Self(
            .invalidValue,
            "\(objectID): “\(name)” leads to \(count) object\(count == 1 ? "" : "s"), and must lead to \(words(allowed)). \(outcome)",
            entityName: objectID.entityName, propertyName: name, objectID: objectID)
    }

    /// Returns the error for a deletion that a delete rule refuses.
    package static func deletionDenied(
        of objectID: ObjectID, by relationship: RelationshipDescription, count: Int
    ) -> Self {
        Self(
            .deletionDenied,
            "\(objectID) cannot be deleted while “\(relationship.name)” leads to \(count) object\(count == 1 ? "" : "s"). Delete or reassign them first.",
            entityName: objectID.entityName, propertyName: relationship.name, objectID: objectID)
    }

    /// Returns bounds in words: “at least 1”, “at most 3”, “exactly 2”, “2 to 5”.
    private static func words(_ bounds: ClosedRange<Int>) -> String {
        if bounds.lowerBound == bounds.upperBound { return "exactly \(bounds.lowerBound)" }
        if bounds.upperBound == .max { return "at least \(bounds.lowerBound)" }
        if bounds.lowerBound <= 0 { return "at most \(bounds.upperBound)" }
        return "\(bounds.lowerBound) to \(bounds.upperBound)"
    }
}
