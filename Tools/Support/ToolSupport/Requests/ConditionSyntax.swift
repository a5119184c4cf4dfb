package import SectionedFetch

/// A condition as it is written on the command line: in the predicate language, `year < 1900 OR title
/// BEGINSWITH "A"`, or in a short form, `year>=1900`, `title^=A`, `artist.name=nil`.
///
/// A text in which conditions are joined outside quotes is always in the predicate language, never a short
/// form. A value without quotes that is also the name of a property is refused, because its meaning differs
/// between the two forms.
package struct ConditionSyntax: Hashable, Sendable {
    /// The syntax of conditions, for `--help`.
    package static let help =
        """
        A predicate as in the article “Predicates”, with AND, OR, NOT, ANY, IN, LIKE[cd], BETWEEN, artworks.@count and parentheses: year BETWEEN {1900, 1999} AND artist.name BEGINSWITH[c] "a". Texts are in quotes; dates, with or without quotes, are 2024-03-01 or 2024-03-01T12:00:00Z.
        Or in short: PROPERTY, an operator, and a value without quotes. The operators are = != (or <>) < <= > >= and, for texts, ^= (begins with), *= (contains) and $= (ends with); a ~ before = ^= *= or $= ignores case. The value nil means no value. Quote the text “\"nil\"”, texts that begin with a character of an operator, that contain AND, OR or NOT, or that are names of properties.
        """

    private let text: String
    private let language: Result<PredicateTree, ObjectStorageError>
    private let short: Result<ShortCondition, SyntaxFailure>

    /// Reads a condition.
    ///
    /// - Throws: ``SyntaxFailure`` if the text is valid in neither form.
    package init(_ text: String) throws(SyntaxFailure) {
        self.text = text
        let parts = ConditionText(text)
        do throws(ObjectStorageError) {
            language = .success(try PredicateTree(format: parts.withQuotedDates))
        } catch {
            language = .failure(error)
        }
        do throws(SyntaxFailure) {
            short = .success(try ShortCondition(text))
        } catch {
            short = .failure(error)
        }
        guard case .failure(let error) = language else { return }
        switch short {
        case .success(let short):
            if ConditionText(short.literal).joinsConditions || short.hasMisplacedQuotes {
                throw Self.refusal(error)
            }
        case .failure(let failure): throw parts.hasKeywords ? Self.refusal(error) : failure
        }
    }

    /// Returns whether a part of a text has brackets of the predicate language, whose errors then explain the
    /// text better than those of the short form.
    private static func hasBrackets(_ text: String) -> Bool { text.contains { "(){}".contains($0) } }

    private static func refusal(_ error: ObjectStorageError) -> SyntaxFailure {
        SyntaxFailure(error.message + " A text is written in quotes: title = \"Time and Tide\".")
    }

    /// Returns the condition as a predicate on the objects of an entity.
    ///
    /// - Throws: ``ObjectStorageError`` for an unknown property, for a value that is invalid for its type,
    ///   and for a text with two meanings; ``SyntaxFailure`` for a text that is a condition in neither form,
    ///   given the properties of the entity.
    package func predicate(
        of entityName: String, in container: PersistentContainer
    ) throws -> FetchRequest<ManagedObject>.Predicate {
        let names = PropertyNames(of: entityName, in: container.model)
        guard let short = try? short.get().resolved(names), names.contains(short.path),
            !ConditionText(short.literal).joinsConditions
        else { return try withoutShortForm(of: entityName, in: container) }
        if short.comparison.isOfTexts { return try short.predicate(of: entityName, in: container) }
        let inLanguage = Result { () throws(ObjectStorageError) in
            try languagePredicate(of: entityName, in: container)
        }
        let isName = short.literal.hasPrefix("#") || short.literal.uppercased().hasPrefix("SELF.")
        if isName || ["\"", "'"].contains(short.literal.unicodeScalars.first) {
            if case .failure = inLanguage, case .failure = language, !short.hasMisplacedQuotes {
                return try short.predicate(of: entityName, in: container)
            }
            if isName, case .failure = inLanguage {
                return try short.predicate(of: entityName, in: container)
            }
            return try inLanguage.get()
        }
        let inShort: FetchRequest<ManagedObject>.Predicate
        do {
            inShort = try short.predicate(of: entityName, in: container)
        } catch {
            if case .success(let predicate) = inLanguage { return predicate }
            if case .failure(let error) = language, Self.hasBrackets(short.literal) {
                throw Self.refusal(error)
            }
            throw error
        }
        if names.contains(PropertyNames.unquoted(short.literal)) { throw ambiguity(short, "the property") }
        if case .success(let predicate) = inLanguage, predicate != inShort, !predicate.comparesConstant {
            throw ambiguity(short, "the expression")
        }
        return inShort
    }

    /// Returns the predicate of a text that is not a short condition on a property of the entity.
    private func withoutShortForm(
        of entityName: String, in container: PersistentContainer
    ) throws -> FetchRequest<ManagedObject>.Predicate {
        if case .failure(let error) = language {
            guard case .success(let short) = short, !ConditionText(text).hasKeywords,
                !Self.hasBrackets(short.path)
            else { throw Self.refusal(error) }
            return try short.predicate(of: entityName, in: container)
        }
        do throws(ObjectStorageError) {
            return try languagePredicate(of: entityName, in: container)
        } catch {
            let isOfName = [.invalidKeyPath, .unknownProperty].contains(error.code)
            guard isOfName, ConditionText(text).joinsConditions else { throw error }
            throw ObjectStorageError(
                error.code, error.message + " A text is written in quotes.", entityName: error.entityName,
                propertyName: error.propertyName)
        }
    }

    private func languagePredicate(
        of entityName: String, in container: PersistentContainer
    ) throws(ObjectStorageError) -> FetchRequest<ManagedObject>.Predicate {
        let conversion = LiteralConversion(entityName: entityName, model: container.model)
        let predicate = FetchRequest<ManagedObject>.Predicate(try conversion.converted(try language.get()))
        let request = FetchRequest<ManagedObject>(entityName: entityName, predicate: predicate)
        // The request compiler checks the names and types.
        _ = try container.compile(request.description, columns: .keys)
        return predicate
    }

    private func ambiguity(_ short: ShortCondition, _ other: String) -> ObjectStorageError {
        let path = PropertyNames.written(short.path)
        let start = "\(path) \(short.comparison.rawValue) "
        let isNull = ["NIL", "NULL"].contains(short.literal.uppercased())
        let isName = other == "the property"
        let second =
            isNull
            ? "\(start)nil for no value"
            : isName
                ? "\(start)#\(ValueText.quoted(short.literal)) for the property"
                : "(\(start)\(short.literal)) for the expression"
        return ObjectStorageError(
            .invalidPredicate,
            "“\(text)” has two meanings: “\(short.literal)” is a text and \(isNull ? "no value" : other). Write \(start)\(ValueText.quoted(short.literal)) for the text, or \(second).",
            propertyName: short.path)
    }
}

extension FetchRequest<ManagedObject>.Predicate {
    /// Whether the predicate compares a property with a value other than nil.
    fileprivate var comparesConstant: Bool {
        guard case .comparison(let comparison) = tree, case .constant(let value) = comparison.right else {
            return false
        }
        return !value.isNull
    }
}
