/// A part of a request by which two requests are compared.
///
/// ``MissReason/requestChanged(parts:)`` names the parts that differ. The set is open: a program that uses
/// ``SectionCacheStore`` without a results controller defines its own parts, and a later version may have
/// more.
public struct RequestPart: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name of the part.
    public let rawValue: String

    /// Creates a part from its name.
    ///
    /// - Parameter rawValue: The name of the part.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a part from its name.
    ///
    /// - Parameter name: The name of the part.
    public init(stringLiteral name: String) { self.init(rawValue: name) }

    /// The entity, and the tables that the request reads.
    public static let entity: Self = "entity"
    /// The versions of the entities whose tables the request reads. A request that reads other tables differs
    /// in this part as well.
    public static let model: Self = "model"
    /// The predicate with its constants.
    public static let predicate: Self = "predicate"
    /// The sort descriptors with their directions and locales, and the declared sections.
    public static let sort: Self = "sort"
    /// The limit and the offset.
    public static let window: Self = "window"
    /// The section key, and the key of the names of sections.
    public static let section: Self = "section"
    /// The versions of the libraries that sort and compute. Foundation's version is part of it only if the
    /// result depends on a locale or a time zone.
    public static let environment: Self = "environment"
    /// The request as a whole: the entry under its fingerprint describes another request.
    public static let fingerprint: Self = "fingerprint"
}

extension RequestPart: CustomStringConvertible {
    /// The name of the part.
    public var description: String { rawValue }
}
