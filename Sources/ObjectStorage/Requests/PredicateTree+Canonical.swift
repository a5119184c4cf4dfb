extension PredicateTree {
    /// Writes the tree, constants and all, so that two trees have the same bytes exactly when they are the same.
    ///
    package func encode(into encoder: inout CanonicalEncoder) {
        switch self {
        case .constant(let value):
            encoder.append("constant")
            encoder.append(value)
        case .comparison(let path, let comparison, let constant, let ignoresCase):
            encoder.append("comparison")
            encoder.append(path)
            encoder.append(comparison.rawValue)
            encoder.append(ignoresCase)
            constant.encode(into: &encoder)
        case .text(let path, let match, let text, let ignoresCase):
            encoder.append("text")
            encoder.append(path)
            encoder.append(match.rawValue)
            encoder.append(ignoresCase)
            encoder.append(text)
        case .isIn(let path, let constants):
            encoder.append("in")
            encoder.append(path)
            encoder.appendList(count: constants.count)
            for constant in constants { constant.encode(into: &encoder) }
        case .between(let path, let low, let high):
            encoder.append("between")
            encoder.append(path)
            encoder.append(low)
            encoder.append(high)
        case .and(let parts): Self.encode("and", parts, into: &encoder)
        case .or(let parts): Self.encode("or", parts, into: &encoder)
        case .not(let part): Self.encode("not", [part], into: &encoder)
        }
    }

    private static func encode(_ name: String, _ parts: [PredicateTree], into encoder: inout CanonicalEncoder)
    {
        encoder.append(name)
        encoder.appendList(count: parts.count)
        for part in parts { part.encode(into: &encoder) }
    }
}

extension PredicateTree.Constant {
    fileprivate func encode(into encoder: inout CanonicalEncoder) {
        switch self {
        case .value(let value): encoder.append(value)
        case .object(let objectID):
            encoder.append("object")
            encoder.append(objectID.description)
        }
    }
}
