/// The rules of Swift for the names of classes and properties.
enum SwiftName {
    /// Returns a name as it is written in a declaration: a keyword in backticks.
    static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Returns the reason why a property cannot have a name; nil if it can.
    ///
    /// A property has the name of its attribute, so a renamed property would belong to another attribute.
    static func fault(ofPropertyNamed name: String) -> String? {
        guard isIdentifier(name) else { return "“\(name)” is not a Swift name" }
        if name.hasPrefix("_") {
            return "“\(name)” begins with an underscore, as the storage of properties does"
        }
        if unusableProperties.contains(name) { return "“\(name)” has a special meaning in Swift" }
        return members.contains(name) ? "ManagedObject has a member “\(name)”" : nil
    }

    /// Returns a class name that is as near as possible to a name.
    static func className(_ name: String) -> String {
        var result = String(
            String.UnicodeScalarView(name.unicodeScalars.map { isContinuation($0) ? $0 : "_" }))
        if result.unicodeScalars.first.map({ isHead($0) }) != true { result = "_" + result }
        if keywords.contains(result) || types.contains(result) || result.allSatisfy({ $0 == "_" }) {
            result += "Object"
        }
        return result
    }

    /// Returns a name for a property of a mapped table, in Swift's style and as near as possible to the name
    /// of a column: `title` for `Title`, `createdAt` for `created_at`, `priceIn` for `price.in €`.
    static func propertyName(_ name: String) -> String {
        var result = capitalizedWords(of: name)
        if result.unicodeScalars.first.map({ isHead($0) }) != true { result = "column" + result }
        // Lowercases a leading abbreviation, but not the first letter of the next word: URLHash, ID.
        let capitals = result.prefix { $0.isUppercase }.count
        let isFollowed = result.dropFirst(capitals).first?.isLowercase == true
        let count = capitals > 1 && isFollowed ? capitals - 1 : capitals
        result = result.prefix(count).lowercased() + result.dropFirst(count)
        return fault(ofPropertyNamed: result) == nil ? result : result + "Value"
    }

    /// Returns the words of a name, each with a capital first letter, without separators.
    static func capitalizedWords(of name: String) -> String {
        let words = name.unicodeScalars.split { !isContinuation($0) || $0 == "_" }
        return words.map { word in
            let word = String(String.UnicodeScalarView(word))
            return word.prefix(1).uppercased() + word.dropFirst()
        }.joined()
    }

    /// Returns whether a name is an identifier that needs no backticks.
    static func isPlainIdentifier(_ name: String) -> Bool { isIdentifier(name) && !keywords.contains(name) }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, isHead(first), name != "_" else { return false }
        return name.unicodeScalars.allSatisfy(isContinuation)
    }

    private static func isHead(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isXIDStart
    }

    private static func isContinuation(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isXIDContinue
    }

    /// The words that a declaration must write in backticks.
    private static let keywords: Set<String> = [
        "Any", "Self", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default",
        "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static",
        "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where",
        "while",
    ]

    /// The names that are read as something else after a full stop.
    private static let unusableProperties: Set<String> = ["self", "Self", "Type", "Protocol", "init"]

    /// The members of the base class.
    private static let members: Set<String> = [
        "awakeFromInsert", "customMirror", "debugDescription", "description", "didSave", "entity",
        "hasChanges",
        "hash", "hashValue", "isDeleted", "isInserted", "isUpdated", "load", "managedObjectContext",
        "objectID",
        "predicateConstant", "prepareForDeletion", "readError", "relatedObject", "relatedObjects",
        "setRelatedObject", "setRelatedObjects", "setValue", "transformedValue", "validateForDelete",
        "validateForInsert", "validateForUpdate", "value", "willSave",
    ]

    /// The types that generated files use, and some that a class must not hide.
    private static let types: Set<String> = [
        "Array", "Attribute", "AttributeDetails", "Bool", "Character", "Data", "Date", "Decimal",
        "Dictionary",
        "Double", "Error", "Float", "Foundation", "Int", "Int16", "Int32", "Int64", "ManagedObject",
        "ObjectStorage", "Optional", "Protocol", "Relationship", "RelationshipDetails", "Result",
        "SectionedFetch", "Set", "String", "Swift", "Task", "Transformable", "Type", "URL", "UUID", "Void",
    ]
}
