public import ObjectStorage

/// The content of a row before a change.
///
/// A value is either correct or nil. A value is known if the context had the object in memory with its
/// values, or if since the last report the row changed only by saves of other contexts of the container.
extension ResultsChange.RowEvent {
    /// The names of the properties that changed, for an update or a move. Properties of related objects are
    /// key paths: `"artist.name"`. Nil if they are unknown: the context did not have the object when another
    /// program changed its row, or a batch deletion or a rule of the database changed it.
    ///
    /// Some properties may have their earlier values again, for instance after two saves. The set is empty if
    /// only the row's position changed.
    public var changedProperties: Set<String>? {
        kind == .update || kind == .move ? difference?.changedProperties : nil
    }

    /// The values of the object's attributes before the change, as SQLite stores them, and the keys of the
    /// objects to which its to-one relationships led; for a deletion, the values that were shown last. Nil if
    /// they are unknown, and for an insertion. Large values that were not read are left out.
    ///
    /// - Complexity: O(*p*) in the number of properties.
    public var oldValues: [String: StoredValue]? { difference?.oldValues?.dictionary }

    /// Returns the value of a property before the change, as SQLite stores it; nil if it is unknown.
    ///
    /// - Parameter name: The name of an attribute or a to-one relationship, or a key path in
    ///   ``changedProperties``.
    public func oldValue(of name: String) -> StoredValue? {
        difference?.oldValues?[name] ?? difference?.oldRelatedValues[name]
    }

    /// Returns the value of an attribute before the change; nil if it is unknown, or was not set.
    ///
    /// - Parameter keyPath: The key path of an attribute of the object, or of a related one whose key path is
    ///   in ``changedProperties``. A key path to a computed value traps.
    public func oldValue<Object: ManagedObject, Value: AttributeValue>(
        of keyPath: KeyPath<Object, Value>
    ) -> Value? {
        oldValue(of: KeyExpression.path(keyPath).path).flatMap(Value.init)
    }

    /// Returns the value of an optional attribute before the change; nil if it is unknown, and an inner nil
    /// if it was not set.
    ///
    /// - Parameter keyPath: The key path of an attribute of the object, or of a related one whose key path is
    ///   in ``changedProperties``. A key path to a computed value traps.
    public func oldValue<Object: ManagedObject, Value: AttributeValue>(
        of keyPath: KeyPath<Object, Value?>
    ) -> Value?? {
        oldValue(of: KeyExpression.path(keyPath).path).map { $0.isNull ? nil : Value(storedValue: $0) }
    }
}
