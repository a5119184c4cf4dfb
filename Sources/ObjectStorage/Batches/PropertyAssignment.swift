/// A value that a batch update assigns to a property of all objects.
public struct PropertyAssignment<Object: ManagedObject>: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        case value(StoredValue)
        case object(ObjectID)
    }

    let name: String
    let value: Value

    /// Assigns a value to an attribute.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the attribute. One that computes a value traps.
    ///   - value: The value; nil for none. The batch update that uses the assignment validates it.
    public static func set<Value: AttributeValue>(
        _ keyPath: ReferenceWritableKeyPath<Object, Value>, to value: Value
    ) -> Self {
        Self(name: ManagedObject.propertyPath(of: keyPath), value: .value(value.storedValue))
    }

    /// Assigns a saved object, or nil, to a to-one relationship.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the relationship. One that computes a value traps.
    ///   - objectID: The identity of the object; nil for none. The batch update that uses the assignment
    ///     throws an error for an object that was never saved.
    public static func set<Related: RelationshipValue>(
        _ keyPath: ReferenceWritableKeyPath<Object, Related>, to objectID: ObjectID?
    ) -> Self {
        .set(ManagedObject.propertyPath(of: keyPath), toObject: objectID)
    }

    /// Assigns a value to the attribute called `name`.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute. The batch update that uses the assignment throws an error if the
    ///     entity lacks it.
    ///   - value: The value; null for none. The batch update validates it.
    public static func set(_ name: String, to value: StoredValue) -> Self {
        Self(name: name, value: .value(value))
    }

    /// Assigns a saved object, or nil, to the to-one relationship called `name`.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship. The batch update that uses the assignment throws an error if
    ///     the entity lacks it.
    ///   - objectID: The identity of the object; nil for none. The batch update throws an error for an object
    ///     that was never saved.
    public static func set(_ name: String, toObject objectID: ObjectID?) -> Self {
        Self(name: name, value: objectID.map(Value.object) ?? .value(.null))
    }
}

extension PropertyAssignment {
    /// Returns the validated value for the column.
    ///
    /// - Throws: ``ObjectStorageError`` if the property does not exist, the value is not valid for it, or the
    ///   object is of another entity or was never saved.
    func columnValue(
        in entity: EntityDescription, of model: ManagedObjectModel
    ) throws(ObjectStorageError) -> StoredValue {
        switch value {
        case .value(let given):
            let value = entity.attribute(named: name)?.type.normalized(given) ?? given
            try entity.check(value, forColumn: name)
            return value
        case .object(let objectID):
            guard let relationship = entity.relationship(named: name), !relationship.isToMany,
                model.entity(named: objectID.entityName)?.isKind(
                    ofEntityNamed: relationship.destinationEntityName) == true
            else {
                try entity.check(.null, forColumn: name)
                throw ObjectStorageError(
                    .invalidValue, "“\(entity.name).\(name)” cannot lead to \(objectID).",
                    entityName: entity.name, propertyName: name, objectID: objectID)
            }
            guard let key = objectID.primaryKey else {
                throw ObjectStorageError(
                    .wrongContext,
                    "“\(entity.name).\(name)” cannot lead to \(objectID), which was never saved. Save it first.",
                    entityName: entity.name, propertyName: name, objectID: objectID)
            }
            return .integer(key)
        }
    }
}

extension EntityDescription {
    /// Validates a value for an attribute, or a key for a to-one relationship.
    func check(_ value: StoredValue, forColumn name: String) throws(ObjectStorageError) {
        let isOptional: Bool
        let isAccepted: Bool
        if let attribute = attribute(named: name) {
            isOptional = attribute.isOptional
            isAccepted = attribute.type.accepts(value)
        } else if let relationship = relationship(named: name), !relationship.isToMany {
            isOptional = relationship.isOptional
            isAccepted = if case .integer = value { true } else { value.isNull }
        } else {
            guard relationship(named: name) != nil else { throw unknownProperty(name) }
            throw ObjectStorageError(
                .invalidKeyPath,
                "“\(self.name).\(name)” is a to-many relationship and has no column. Set its inverse instead.",
                entityName: self.name, propertyName: name)
        }
        guard isAccepted else {
            throw ObjectStorageError(
                .invalidValue, "“\(self.name).\(name)” cannot be \(value).", entityName: self.name,
                propertyName: name)
        }
        guard isOptional || !value.isNull else {
            throw ObjectStorageError(
                .missingValue, "“\(self.name).\(name)” must have a value.", entityName: self.name,
                propertyName: name)
        }
        if let attribute = attribute(named: name) { try checkRules(of: attribute, value) }
    }

    /// Throws an error if a value violates a rule of its attribute.
    func checkRules(of attribute: AttributeDescription, _ value: StoredValue) throws(ObjectStorageError) {
        guard let rule = attribute.brokenRule(by: value) else { return }
        throw ObjectStorageError(
            .invalidValue,
            "“\(self.name).\(attribute.name)”: \(value) must \(rule.requirement(of: attribute.type)).",
            entityName: self.name,
            propertyName: attribute.name)
    }
}

extension AttributeDescription {
    /// Returns the first rule that a value violates; nil if it satisfies all.
    func brokenRule(by value: StoredValue) -> ValidationRule? {
        guard !rules.isEmpty, !value.isNull else { return nil }
        return rules.first { !$0.holds(for: value, of: type) }
    }
}
