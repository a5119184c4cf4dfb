import ObjectStorage
import CheckSupport

/// Random constants, half of which are close to the data.
extension PredicateGenerator {
    mutating func constant(_ kind: Kind) -> PredicateExpression {
        if chance(12) { return .value(.null) }
        switch kind {
        case .number:
            if chance(2), let sample = sample({ $0.number != nil }) { return .value(near(sample)) }
            return .value(
                chance(2)
                    ? .integer(RandomValue.integer(using: &generator))
                    : .real(RandomValue.real(using: &generator)))
        case .text:
            return .value(.text(chance(2) ? sampleText() : RandomValue.text(using: &generator, longest: 2)))
        case .bytes:
            if chance(2), let sample = sample({ if case .blob = $0 { true } else { false } }) {
                return .value(sample)
            }
            return .value(.blob(RandomValue.bytes(using: &generator)))
        case .object(let name):
            if comparesKeys, chance(3) { return .value(.integer(Int64.random(in: 0...4, using: &generator))) }
            return .object(any(objects.filter { $0.entityName == name }))
        }
    }

    /// Returns the other side of a comparison: often a value of the same attribute, or one close to it.
    mutating func operand(
        for left: PredicateExpression, _ kind: Kind, _ scopes: [Scope], depth: Int
    ) throws -> PredicateExpression {
        guard case .keyPath(let path) = left, chance(2) else {
            return try expression(kind, scopes, depth: depth)
        }
        let name = path.names.split(separator: ".").last.map(String.init)
        let values = samples.filter { $0.name == name }
        guard let value = values.randomElement(using: &generator)?.value else {
            return try expression(kind, scopes, depth: depth)
        }
        return .value(near(value))
    }

    mutating func sample(_ isOfKind: (StoredValue) -> Bool) -> StoredValue? {
        samples.map(\.value).filter(isOfKind).randomElement(using: &generator)
    }

    /// Returns a value close to another: a number in the other storage class, the next number, or another
    /// spelling.
    mutating func near(_ value: StoredValue) -> StoredValue {
        switch (value, Int.random(in: 0..<4, using: &generator)) {
        case (.integer(let integer), 0): .real(Double(integer))
        case (.integer(let integer), 1): .integer(integer &+ 1)
        case (.real(let real), 0): Int64(exactly: real).map { .integer($0) } ?? value
        case (.real(let real), 1): .real(real.nextUp)
        case (.text(let text), _): .text(spelling(of: text))
        default: value
        }
    }

    /// Returns a text of the data, or a part of one, in one of its spellings.
    mutating func sampleText() -> String {
        guard case .text(let text)? = sample({ if case .text = $0 { true } else { false } }) else {
            return ""
        }
        return spelling(of: text)
    }

    mutating func spelling(of text: String) -> String {
        var text = text
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: text = String(text.prefix(1))
        case 1: text = String(text.suffix(1))
        case 2: text = String(text.dropFirst().dropLast())
        default: break
        }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return text.uppercased()
        case 1: return text.lowercased()
        case 2: return TextSpelling.decomposed(text)
        case 3: return TextSpelling.withoutMarks(text)
        default: return text
        }
    }

    mutating func expressionPattern() -> String {
        let sample = sampleText().map { $0.isLetter ? String($0) : "." }.joined()
        let pieces = [
            sample, sample, ".", ".*", ".+", "[a-e]", "\\w+", "\\W", "\\p{L}*", "(a|é|ß)", "e", "É", "ss",
            "σ?", "(?s:.)*",
            "[^a]", "\\Q*\\E",
        ]
        return (0..<Int.random(in: 1...3, using: &generator)).map { _ in any(pieces) }.joined()
    }
}

extension StoredValue {
    /// The value as a number, or nil if it is none.
    fileprivate var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
}
