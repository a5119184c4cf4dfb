import Foundation

/// Transformable attributes by name, for objects without a typed class.
extension ManagedObject {
    /// The value of a transformable attribute, made by a transformer; nil for none.
    ///
    /// - Throws: ``ObjectStorageError``: no such attribute, another type of attribute, a row that cannot be
    ///   read, or bytes of which the transformer makes no value: entity, property and object are named, and
    ///   the other attributes stay readable.
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

    /// Sets a transformable attribute to a value that a transformer makes bytes of; nil for none.
    ///
    /// - Throws: ``ObjectStorageError``: no such attribute, another type of attribute, a value of which the
    ///   transformer makes no bytes, or a row that cannot be read. The attribute then stays as it was.
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
                "\(objectID), attribute “\(name)”: the transformer “\(Transformer.name)” makes no bytes of the value (\(error)).",
                entityName: entity.name, propertyName: name, objectID: objectID)
        }
        try setValue(stored, forProperty: name)
    }

    /// The value of a transformable attribute, made by the transformer that the model names; nil for none.
    ///
    /// - Throws: As ``value(forProperty:by:)``; and if no transformer of that name was given to the
    ///   container.
    public final func transformedValue(forProperty name: String) throws(ObjectStorageError) -> Any? {
        let attribute = try requireTransformable(name)
        let known: [any AttributeTransformer.Type] =
            [RawDataTransformer.self] + (managedObjectContext?.container.transformers ?? [])
        guard let transformer = known.last(where: { $0.name == attribute.transformerName }) else {
            throw ObjectStorageError(
                .invalidValue,
                "\(objectID), attribute “\(name)”: no transformer “\(attribute.transformerName ?? "")” was given to the container. "
                    + "Give it in StoreOptions, or name it: value(forProperty:by:).",
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
