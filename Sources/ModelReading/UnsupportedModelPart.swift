/// A part of a model file that the library does not support, with its effect and a remedy.
///
/// ``DataModel/unsupportedParts`` lists these parts, so that no part of a file is dropped silently.
public struct UnsupportedModelPart: Hashable, Sendable, Codable {
    /// The kind of a part, for branching. Compare with the constants; later versions may add others.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable {
        /// The name of the kind, which does not change between versions.
        public let rawValue: String

        /// Creates a kind from its name.
        ///
        /// - Parameter rawValue: The name of the kind.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The kind of the part.
    public let kind: Kind
    /// The entity that has the part; nil for a part of the model itself.
    public let entityName: String?
    /// The attribute, relationship or fetched property concerned, if any.
    public let propertyName: String?
    /// The part in words, with its name: `fetch request template “Recent”`.
    public let part: String
    /// The difference between the file and ``DataModel/model``, as one sentence.
    public let effect: String
    /// The way to get the same behaviour with this library, as one sentence.
    public let remedy: String
    /// Whether the model lacks a property because of the part, so that code that reads the property fails.
    public let isPropertyMissing: Bool
    /// The line of an XML file, starting from 1; nil in a compiled model.
    public let line: Int?

    /// Creates a part.
    ///
    /// - Parameters:
    ///   - kind: The kind of the part.
    ///   - entityName: The entity that has the part; nil for a part of the model itself.
    ///   - propertyName: The attribute, relationship or fetched property concerned; nil for none.
    ///   - part: The part in words, with its name.
    ///   - effect: The difference between the file and the model, as one sentence.
    ///   - remedy: The way to get the same behaviour with this library, as one sentence.
    ///   - isPropertyMissing: Whether the model lacks a property because of the part.
    ///   - line: The line of an XML file, starting from 1; nil in a compiled model.
    public init(
        _ kind: Kind, entityName: String? = nil, propertyName: String? = nil, part: String, effect: String,
        remedy: String, isPropertyMissing: Bool = false, line: Int? = nil
    ) {
        self.kind = kind
        self.entityName = entityName
        self.propertyName = propertyName
        self.part = part
        self.effect = effect
        self.remedy = remedy
        self.isPropertyMissing = isPropertyMissing
        self.line = line
    }
}

extension UnsupportedModelPart.Kind {
    /// An attribute that is composed of other attributes. The model does not have it.
    public static let compositeAttribute = Self(rawValue: "compositeAttribute")
    /// An attribute without a type, or of a type that SQLite cannot store. The model does not have it.
    public static let attributeType = Self(rawValue: "attributeType")
    /// An attribute whose derivation the library cannot compute. The model does not have it.
    public static let derivedAttribute = Self(rawValue: "derivedAttribute")
    /// A fetched property. The model does not have it.
    public static let fetchedProperty = Self(rawValue: "fetchedProperty")
    /// A fetch request template.
    public static let fetchRequest = Self(rawValue: "fetchRequest")
    /// A configuration: a named group of entities.
    public static let configuration = Self(rawValue: "configuration")
    /// An index over an expression.
    public static let expressionIndex = Self(rawValue: "expressionIndex")
    /// An index of some rows only, with a predicate.
    public static let partialIndex = Self(rawValue: "partialIndex")
    /// A uniqueness constraint over an attribute that the model does not have.
    public static let uniquenessConstraint = Self(rawValue: "uniquenessConstraint")
    /// An index over a property without a column, or of a type or order that the store does not create.
    public static let indexOption = Self(rawValue: "indexOption")
    /// A condition on values that no validation rule of the library expresses.
    public static let validationPredicate = Self(rawValue: "validationPredicate")
    /// A default that the library cannot read.
    public static let defaultValue = Self(rawValue: "defaultValue")
    /// A setting for CloudKit, for example `allowsCloudEncryption`.
    public static let cloudKit = Self(rawValue: "cloudKit")
    /// A setting for Spotlight's index.
    public static let spotlight = Self(rawValue: "spotlight")
    /// An attribute whose value is kept in the history after its object was deleted.
    public static let preservedValue = Self(rawValue: "preservedValue")
    /// A modifier of the version hash, with which a program forces a migration.
    public static let versionHashModifier = Self(rawValue: "versionHashModifier")
    /// Texts that a program attached to the model, an entity or a property.
    public static let userInfo = Self(rawValue: "userInfo")
    /// A part that this version of the library does not know.
    public static let unknown = Self(rawValue: "unknown")
}

extension UnsupportedModelPart: CustomStringConvertible {
    /// The location, the part, its effect and the remedy.
    public var description: String {
        let place = [entityName, propertyName].compactMap { $0 }.joined(separator: ".")
        return (line.map { "Line \($0): " } ?? "") + (place.isEmpty ? "" : "“\(place)”: ")
            + "\(part). \(effect) \(remedy)"
    }
}
