extension PredicateEvaluator {
    /// Returns the value of an expression.
    ///
    /// - Throws: ``ObjectStorageError`` if a row cannot be read.
    func value(
        of expression: PredicateExpression, in environment: Environment
    ) throws(ObjectStorageError) -> StoredValue {
        switch expression {
        case .constant(let value): return value
        case .object(let objectID): return Self.key(objectID)
        case .keyPath(let path):
            return try value(at: path.names.split(separator: "."), from: start(of: path, in: environment))
        case .arithmetic(let arithmetic, let left, let right):
            return .arithmetic(
                arithmetic, try value(of: left, in: environment), try value(of: right, in: environment))
        case .function(let function, let argument):
            return function.value(of: try value(of: argument, in: environment))
        case .aggregate(let aggregate, let collection):
            return try value(of: aggregate, of: collection, in: environment)
        case .variable, .list: return .null
        }
    }

    /// Returns the values at a key path through to-many relationships.
    func values(
        of path: PredicateExpression.Path, in environment: Environment
    ) throws(ObjectStorageError) -> [StoredValue] {
        let (objects, rest) = try objects(at: path, in: environment)
        var values: [StoredValue] = []
        for object in objects { values.append(try value(at: rest, from: object)) }
        return values
    }

    private func value(
        of aggregate: PredicateExpression.Aggregate, of collection: PredicateExpression.Collection,
        in environment: Environment
    ) throws(ObjectStorageError) -> StoredValue {
        var objects = try objects(at: collection.path, in: environment).objects
        if let filter = collection.filter {
            var chosen: [ManagedObject] = []
            for object in objects {
                var inner = environment
                inner.variables.append((filter.variable, object))
                if try evaluate(filter.predicate, in: inner) { chosen.append(object) }
            }
            objects = chosen
        }
        guard let path = aggregate.attributePath else { return .integer(Int64(objects.count)) }
        let names = path.split(separator: ".")
        var values: [StoredValue] = []
        for object in objects { values.append(try value(at: names, from: object)) }
        let first = start(of: collection.path, in: environment).entity
        guard model.isDecimal(aggregate, of: collection, from: first) else {
            return aggregate.value(of: values)
        }
        let numbers = values.compactMap(DecimalNumber.init)
        let number = if case .minimum = aggregate { numbers.min() } else { numbers.max() }
        return number.map { .text($0.canonicalText) } ?? .null
    }

    /// Returns whether one side of a comparison is a decimal, so that both sides are compared as decimals.
    func isAboutDecimals(_ comparison: PredicateTree.Comparison, in environment: Environment) -> Bool {
        isDecimal(comparison.left, in: environment) || isDecimal(comparison.right, in: environment)
    }

    private func isDecimal(_ expression: PredicateExpression, in environment: Environment) -> Bool {
        switch expression {
        case .list(let elements): elements.contains { isDecimal($0, in: environment) }
        case .keyPath(let path):
            model.typeOfAttribute(path.names, from: start(of: path, in: environment).entity) == .decimal
        case .aggregate(let aggregate, let collection):
            model.isDecimal(
                aggregate, of: collection, from: start(of: collection.path, in: environment).entity)
        default: false
        }
    }

    private func start(of path: PredicateExpression.Path, in environment: Environment) -> ManagedObject {
        guard let variable = path.variable else { return environment.object }
        // The validation of the predicate ensures that the variable exists.
        return environment.variables.last { $0.name == variable }?.object ?? environment.object
    }

    /// Returns the objects at the last to-many relationship of a key path, each as often as it is reached,
    /// and the names that follow that relationship.
    private func objects(
        at path: PredicateExpression.Path, in environment: Environment
    ) throws(ObjectStorageError) -> (objects: [ManagedObject], rest: ArraySlice<Substring>) {
        let names = path.names.split(separator: ".")
        let first = start(of: path, in: environment)
        let end = model.endOfCollection(names, from: first.entity)
        var objects = [first]
        for name in names[..<end] {
            var next: [ManagedObject] = []
            for object in objects {
                if object.entity.relationship(named: String(name))?.isToMany == true {
                    next += try object.relatedObjects(String(name))
                } else if let related = try object.relatedObject(String(name)) {
                    next.append(related)
                }
            }
            objects = next
        }
        return (objects, names[end...])
    }

    /// Returns the value at the end of a key path through to-one relationships.
    private func value(
        at names: some Collection<Substring>, from object: ManagedObject
    ) throws(ObjectStorageError) -> StoredValue {
        var object = object
        for name in names {
            let name = String(name)
            if name == "objectID" { break }
            guard object.entity.attribute(named: name) == nil else {
                return PredicateExpression.known(try object.value(forProperty: name))
            }
            guard let next = try object.relatedObject(name) else { return .null }
            object = next
        }
        return Self.key(object.objectID)
    }

    /// Returns the key of an object. An object that was never saved has no key, and is represented by bytes
    /// that are unique to it.
    private static func key(_ objectID: ObjectID) -> StoredValue {
        objectID.primaryKey.map(StoredValue.integer) ?? .blob(Array(objectID.description.utf8))
    }
}

extension PredicateExpression {
    /// Returns the value as SQLite stores it: NaN becomes NULL.
    fileprivate static func known(_ value: StoredValue) -> StoredValue {
        if case .real(let number) = value, number.isNaN { .null } else { value }
    }
}
