import Foundation

/// Transformable attributes by name, for objects without a typed class.
extension ManagedObject {
    /// Returns the value of a transformable attribute, decoded by a transformer; nil if it has none.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute.
    ///   - transformer: The type that decodes the bytes. It need not be the one that the model names.
    /// - Throws: ``ObjectStorageError`` if the entity has no such attribute, the attribute has another type,
    ///   the row cannot be read, or the transformer cannot decode the bytes: the error names entity, property
    ///   and object, and the other attributes remain readable.
    public final func value<Transformer: AttributeTransformer>(
        forProperty name: String, by transformer: Transformer.Type
    ) throws(ObjectStorageError) -> Transformer.Value? {
        try requireTransformable(name)
        let stored = try value(forProperty: name)
        do {
            switch stored {
            case .null: return nil
            case .blob(let bytes): return try Transformer.value(from: Data(bytes))
            default: throw TransformationError("not bytes")
            }
        } catch {
            throw unreadable(stored, named: name, as: Transformer.Value.self, because: "\(error)")
        }
    }

    /// Sets a transformable attribute to a value, encoded by a transformer; nil for none.
    ///
    /// - Parameters:
    ///   - value: The value; nil for none.
    ///   - name: The name of the attribute.
    ///   - transformer: The type that encodes the value. It need not be the one that the model names.
    /// - Throws: ``ObjectStorageError`` if the entity has no such attribute, the attribute has another type,
    ///   the transformer cannot encode the value, the object is deleted, or the row cannot be read. The
    ///   attribute then keeps its value.
    public final func setValue<Transformer: AttributeTransformer>(
        _ value: Transformer.Value?, forProperty name: String, by transformer: Transformer.Type
    ) throws(ObjectStorageError) {
        try requireTransformable(name)
        let stored: StoredValue
        do {
            stored = try value.map { try Transformer.data(from: $0).storedValue } ?? .null
        } catch {
            throw ObjectStorageError(
                .invalidValue,
                "\(objectID), attribute “\(name)”: the transformer “\(Transformer.name)” cannot encode the value (\(error)).",
                entityName: entity.name, propertyName: name, objectID: objectID)
        }
        try setValue(stored, forProperty: name)
    }

    /// Returns the value of a transformable attribute, decoded by the transformer that the model names; nil
    /// if it has none.
    ///
    /// - Parameter name: The name of the attribute.
    /// - Throws: As ``value(forProperty:by:)``, and if the container has no transformer of that name.
    public final func transformedValue(forProperty name: String) throws(ObjectStorageError) -> Any? {
        let attribute = try requireTransformable(name)
        let known: [any AttributeTransformer.Type] =
            [RawDataTransformer.self, SecureUnarchiveTransformer.self]
            + (managedObjectContext?.container.transformers ?? [])
        guard let transformer = known.last(where: { $0.name == attribute.transformerName }) else {
            throw ObjectStorageError(
                .invalidValue,
                "\(objectID), attribute “\(name)”: no transformer “\(attribute.transformerName ?? "")” is registered with the container. "
                    + "Pass it in StoreOptions, or name it: value(forProperty:by:).",
                entityName: entity.name, propertyName: name, objectID: objectID)
        }
        return try anyValue(forProperty: name, by: transformer)
    }

    private func anyValue<Transformer: AttributeTransformer>(
        forProperty name: String, by transformer: Transformer.Type
    ) throws(ObjectStorageError) -> Any? {
        try value(forProperty: name, by: transformer)
    }

    @discardableResult
    private func requireTransformable(_ name: String) throws(ObjectStorageError) -> AttributeDescription {
        guard let attribute = entity.attribute(named: name) else { throw entity.unknownProperty(name) }
        guard attribute.type == .transformable else {
            throw ObjectStorageError(
                .invalidValue,
                "“\(entity.name).\(name)” is of type \(attribute.type.rawValue), not transformable. Use value(forProperty:).",
                entityName: entity.name, propertyName: name, objectID: objectID)
        }
        return attribute
    }
}
