import ObjectModel

extension PredicateExpression {
    func append(to encoder: inout CanonicalEncoder) {
        switch self {
        case .constant(let value):
            encoder.append("value")
            encoder.append(value)
        case .object(let objectID):
            encoder.append("object")
            encoder.append(objectID.current.description)
        case .list(let elements):
            encoder.append("list")
            encoder.appendList(count: elements.count)
            for element in elements { element.append(to: &encoder) }
        case .keyPath(let path):
            encoder.append("path")
            path.append(to: &encoder)
        case .variable(let name):
            encoder.append("variable")
            encoder.append(name)
        case .arithmetic(let arithmetic, let left, let right):
            encoder.append("arithmetic")
            encoder.append(arithmetic.rawValue)
            left.append(to: &encoder)
            right.append(to: &encoder)
        case .function(let function, let argument):
            encoder.append("function")
            encoder.append(function.rawValue)
            if function != .absolute { encoder.append(TextMatching.version) }
            argument.append(to: &encoder)
        case .aggregate(let aggregate, let collection):
            encoder.append("aggregate")
            encoder.append(aggregate.word)
            encoder.append(aggregate.attributePath ?? "")
            collection.path.append(to: &encoder)
            encoder.append(collection.filter != nil)
            if let filter = collection.filter {
                encoder.append(filter.variable)
                filter.predicate.append(to: &encoder)
            }
        }
    }
}

extension PredicateExpression.Path {
    func append(to encoder: inout CanonicalEncoder) {
        encoder.append(variable != nil)
        encoder.append(variable ?? "")
        encoder.append(names)
    }
}
