import Mutants
package import ObjectModel

extension RequestDescription {
    /// Returns the request as named parts of canonical bytes, from which a fingerprint is made and by which
    /// two requests are compared.
    ///
    /// - Parameters:
    ///   - model: The model with the versions of the entities that the request reads.
    ///   - tableNames: The tables that the request reads, from its compilation: sorted, each once.
    package func canonicalParts(
        model: ManagedObjectModel, tableNames: [String]
    ) -> [(name: String, bytes: [UInt8])] {
        var entity = CanonicalEncoder()
        entity.append(entityName)
        var versions = CanonicalEncoder()
        for name in tableNames {
            entity.append(name)
            versions.append(model.versionDigest(ofTableNamed: name))
        }
        if !includesSubentities { entity.append("without sub-entities") }
        var predicateEncoder = CanonicalEncoder()
        if !Mutant.predicateLeftOut.isPlanted { predicate?.encode(into: &predicateEncoder) }
        var order = CanonicalEncoder()
        order.appendList(count: sort.count)
        for term in sort { term.encode(into: &order) }
        #if Mutants
        if Mutant.combinedFingerprint.isPlanted {
            order = CanonicalEncoder()
            order.appendList(count: sort.count)
            order.append(Self.combined(sort))
        }
        #endif
        if let precedence {
            precedence.expression.encode(into: &order)
            order.appendList(count: precedence.values.count)
            for value in precedence.values { order.append(value) }
        }
        var window = CanonicalEncoder()
        window.append(Int64(limit))
        window.append(Int64(offset))
        return [
            ("entity", entity.bytes), ("model", versions.bytes), ("predicate", predicateEncoder.bytes),
            ("sort", order.bytes), ("window", window.bytes),
        ]
    }

    #if Mutants
    /// Returns the terms of an order combined by exclusive or, which does not depend on their sequence: a
    /// mutant.
    private static func combined(_ sort: [SortTerm]) -> Int64 {
        sort.reduce(0) { combined, term in
            var encoder = CanonicalEncoder()
            term.encode(into: &encoder)
            return combined ^ encoder.bytes.reduce(Int64(1)) { $0 &* 31 &+ Int64($1) }
        }
    }
    #endif

    /// The expressions by which the request sorts.
    package var expressions: [KeyExpression] { sort.map(\.expression) }

    /// Whether the request compares any text under a locale.
    package var isLocalized: Bool {
        sort.contains { term in
            switch term.order.kind {
            case .binary, .caseInsensitive: false
            case .localized, .indexed: true
            }
        }
    }
}

extension SortTerm {
    fileprivate func encode(into encoder: inout CanonicalEncoder) {
        expression.encode(into: &encoder)
        if !Mutant.sortDirectionLeftOut.isPlanted { encoder.append(isAscending) }
        switch order.kind {
        case .binary: encoder.append("binary")
        case .caseInsensitive:
            encoder.append("caseInsensitive")
            encoder.append(Int64(TextCollations.caseInsensitiveVersion))
            encoder.append(TextMatching.version)
        case .localized(let locale):
            encoder.append("localized")
            encoder.append(locale)
            encoder.append(LocalizedOrder.version)
        case .indexed(let locale):
            encoder.append("indexed")
            encoder.append(Int64(KeyFunctions.indexLetterVersion))
            encoder.append(locale)
            encoder.append(LocalizedOrder.version)
        }
        encoder.append(nulls.rawValue)
    }
}

extension KeyExpression {
    /// Appends the expression with the version of its function.
    package func encode(into encoder: inout CanonicalEncoder) {
        encoder.append(path)
        switch function {
        case .value: encoder.append("value")
        case .firstLetter(let locale, let diacritics):
            encoder.append("firstLetter")
            encoder.append(Int64(KeyFunctions.firstLetterVersion))
            encoder.append(LocalizedOrder.version)
            encoder.append(locale)
            encoder.append(diacritics.rawValue)
        case .indexLetter(let locale):
            encoder.append("indexLetter")
            encoder.append(Int64(KeyFunctions.firstLetterVersion))
            encoder.append(Int64(KeyFunctions.indexLetterVersion))
            encoder.append(LocalizedOrder.version)
            encoder.append(locale)
        case .foldedText:
            encoder.append("foldedText")
            encoder.append(TextMatching.version)
        case .calendar(let unit, let timeZone):
            encoder.append(unit.name)
            encoder.append(Int64(KeyFunctions.calendarVersion))
            if !Mutant.timeZoneLeftOut.isPlanted { encoder.append(timeZone) }
        case .range(let ranges):
            encoder.append("range")
            encoder.append(Int64(NumberRanges.version))
            encoder.append(ranges.description)
        case .combined(let expressions):
            encoder.append("combined")
            encoder.appendList(count: expressions.count)
            for expression in expressions { expression.encode(into: &encoder) }
        case .computed(let key):
            encoder.append("computed")
            encoder.append(key.name)
            encoder.append(Int64(key.version))
            encoder.append(key.valueType.rawValue)
            encoder.append(key.keyType.rawValue)
            encoder.append(key.parameters)
        }
    }
}

extension SortTerm: CustomStringConvertible {
    /// The term as readable text: `title descending, localized (de)`.
    package var description: String {
        var words = expression.description + (isAscending ? "" : " descending")
        switch order.kind {
        case .binary: break
        case .caseInsensitive: words += ", ignoring case"
        case .localized(let locale): words += ", localized (\(locale))"
        case .indexed(let locale): words += ", indexed (\(locale))"
        }
        switch nulls {
        case .smallest: break
        case .first: words += ", nil first"
        case .last: words += ", nil last"
        }
        return words
    }
}

extension RequestDescription: CustomStringConvertible {
    /// The request as readable text.
    package var description: String {
        var words = entityName
        if !includesSubentities { words += " without sub-entities" }
        if let predicate { words += " where \(predicate)" }
        // `joined(separator:)` would look up conformances at program start.
        for (position, term) in sort.enumerated() {
            words += position == 0 ? " by " : "; "
            words += term.description
        }
        if limit > 0 { words += ", at most \(limit)" }
        if offset > 0 { words += ", without the first \(offset)" }
        for (position, path) in displayedPaths.enumerated() {
            words += position == 0 ? ", showing " : ", "
            words += path
        }
        return words
    }
}
