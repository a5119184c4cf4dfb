public import ObjectStorage

/// The key that groups rows into sections, and the source of the sections' names.
///
/// A string literal is a key path, which may lead through to-one relationships: `"department"`,
/// `"artist.name"`. The rows must be sorted so that the rows of a section are adjacent: sort by the key
/// first, or by an expression with the same order.
public struct SectionKey: Hashable, Sendable {
    /// The expression that identifies sections.
    public let expression: KeyExpression
    /// The expression that names sections, if other than ``expression``: the name is its value in the
    /// section's first row.
    public let nameExpression: KeyExpression?
    /// The sections that exist even without rows, in their order, before all others.
    public private(set) var declaredSections: [DeclaredSection] = []
    /// The keys that this one combines, or the keys of sections and subsections; empty for a single key.
    let parts: [SectionKey]
    /// Whether the key groups rows into sections with subsections.
    public let isNested: Bool

    /// Creates a key that groups by an expression.
    ///
    /// - Parameters:
    ///   - expression: The expression that identifies sections: two rows are in one section if it has the
    ///     same stored value.
    ///   - nameExpression: The expression that names sections instead, for instance `"artist.name"` if
    ///     `"artist"` identifies them and two artists have the same name.
    public init(_ expression: KeyExpression, namedBy nameExpression: KeyExpression? = nil) {
        self.init(expression, namedBy: nameExpression, parts: [], isNested: false)
    }

    private init(
        _ expression: KeyExpression, namedBy nameExpression: KeyExpression?, parts: [SectionKey],
        isNested: Bool
    ) {
        self.expression = expression
        self.nameExpression = nameExpression
        self.parts = parts
        self.isNested = isNested
    }

    /// Creates a combined key.
    ///
    /// - Parameter isNested: Whether the first key is that of sections, and the second that of subsections.
    init(combining parts: [SectionKey], isNested: Bool) {
        let names = parts.map { $0.nameExpression ?? $0.expression }
        let hasNames = parts.contains { $0.nameExpression != nil }
        self.init(
            .combined(parts.map(\.expression)), namedBy: hasNames ? .combined(names) : nil, parts: parts,
            isNested: isNested)
    }

    /// Whether the identities or names of sections may depend on Foundation's data of locales or time zones.
    var dependsOnFoundation: Bool {
        expression.dependsOnFoundation || nameExpression?.dependsOnFoundation == true
    }

    /// Returns the key with declared sections, which exist even without rows.
    ///
    /// ```swift
    /// SectionKey("status").declaring(["open", "in work", "done"])
    /// ```
    ///
    /// Declared sections appear in the order of the list, independently of the sort order of the rows. All
    /// other sections follow.
    ///
    /// - Parameter sections: The sections, each key once.
    public func declaring(_ sections: [DeclaredSection]) -> Self {
        var key = self
        key.declaredSections = sections
        return key
    }

    /// Groups by the value at a dotted key path.
    ///
    /// - Parameter path: Property names separated by full stops, which lead from the objects through to-one
    ///   relationships: `artist.name`.
    public static func path(_ path: String) -> Self { Self(.path(path)) }

    /// Groups by the value at a Swift key path.
    ///
    /// - Parameter keyPath: The key path of an attribute or a to-one relationship, through declared
    ///   properties. One that computes a value traps.
    public static func path<Object: ManagedObject, Value>(_ keyPath: KeyPath<Object, Value>) -> Self {
        Self(.path(keyPath))
    }

    /// Groups by the value that a function computes from the value at a dotted key path. See
    /// ``/ObjectStorage/KeyFunction``.
    ///
    /// - Parameters:
    ///   - function: The function. SQLite calls it for each row that it groups.
    ///   - path: A dotted key path to an attribute of the type that the function takes.
    public static func computed(_ function: some KeyFunction, of path: String) -> Self {
        Self(.computed(function, of: path))
    }

    /// Groups by the value that a function computes from the value at a Swift key path.
    ///
    /// - Parameters:
    ///   - function: The function. SQLite calls it for each row that it groups.
    ///   - keyPath: The key path of an attribute, through declared properties. One that computes a value
    ///     traps.
    public static func computed<Object: ManagedObject, Function: KeyFunction>(
        _ function: Function, of keyPath: KeyPath<Object, Function.Value>
    ) -> Self {
        Self(.computed(function, of: keyPath))
    }

    /// Groups by the value that a function computes from the optional value at a Swift key path. Rows without
    /// a value form a section.
    ///
    /// - Parameters:
    ///   - function: The function. SQLite calls it for each row that has a value.
    ///   - keyPath: The key path of an optional attribute, or of an attribute behind an optional
    ///     relationship. One that computes a value traps.
    public static func computed<Object: ManagedObject, Function: KeyFunction>(
        _ function: Function, of keyPath: KeyPath<Object, Function.Value?>
    ) -> Self {
        Self(.computed(function, of: keyPath))
    }
}

extension SectionKey: ExpressibleByStringLiteral {
    /// Groups by the value at a dotted key path.
    ///
    /// - Parameter path: Property names separated by full stops: `artist.name`.
    public init(stringLiteral path: String) { self.init(.path(path)) }
}

extension SectionKey: CustomStringConvertible {
    /// A description of the key.
    public var description: String {
        nameExpression.map { "\(expression), named by \($0)" } ?? expression.description
    }
}
