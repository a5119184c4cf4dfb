package import ObjectModel

extension KeyExpression {
    /// A number or value that is computed from related objects, as part of a key path.
    package struct Aggregate {
        /// The functions, with their names in key paths.
        package enum Function: String {
            case count = "@count"
            case sum = "@sum"
            case average = "@avg"
            case minimum = "@min"
            case maximum = "@max"
        }

        /// The key path through to-many relationships.
        package let collection: String
        /// The function.
        package let function: Function
        /// The key path of the attribute from each related object; nil for a count.
        package let attribute: String?

        /// The key path from the object to the attribute, or to the related objects.
        package var path: String { attribute.map { "\(collection).\($0)" } ?? collection }
    }

    /// Whether the key path ends with a function of related objects.
    package var isAggregate: Bool { path.utf8.contains(UInt8(ascii: "@")) }

    /// The function of related objects with which the key path ends; nil for other key paths, and for a
    /// function that does not exist.
    package var aggregate: Aggregate? {
        guard isAggregate else { return nil }
        let names = path.split(separator: ".", omittingEmptySubsequences: false)
        guard let position = names.firstIndex(where: { $0.hasPrefix("@") }), position > 0,
            let function = Aggregate.Function(rawValue: String(names[position]))
        else { return nil }
        let rest = names[(position + 1)...].joined(separator: ".")
        guard rest.isEmpty == (function == .count) else { return nil }
        return Aggregate(
            collection: names[..<position].joined(separator: "."), function: function,
            attribute: rest.isEmpty ? nil : rest)
    }

    /// Returns the number of objects to which a key path leads: `"albums.@count"`.
    ///
    /// - Parameter path: A dotted key path that ends with a to-many relationship.
    public static func count(of path: String) -> Self { Self(path: "\(path).@count") }

    /// Returns the sum of an attribute of related objects, 0 if there are none: `"songs.@sum.duration"`.
    ///
    /// - Parameters:
    ///   - attribute: The key path of a number from each related object.
    ///   - path: A dotted key path that ends with a to-many relationship.
    public static func sum(of attribute: String, in path: String) -> Self {
        Self(path: "\(path).@sum.\(attribute)")
    }

    /// Returns the average of an attribute of related objects: `"songs.@avg.rating"`. The result is missing
    /// if no object has a value.
    ///
    /// - Parameters:
    ///   - attribute: The key path of a number from each related object.
    ///   - path: A dotted key path that ends with a to-many relationship.
    public static func average(of attribute: String, in path: String) -> Self {
        Self(path: "\(path).@avg.\(attribute)")
    }

    /// Returns the smallest value of an attribute of related objects: `"songs.@min.year"`. The result is
    /// missing if no object has a value.
    ///
    /// - Parameters:
    ///   - attribute: The key path of the attribute from each related object.
    ///   - path: A dotted key path that ends with a to-many relationship.
    public static func minimum(of attribute: String, in path: String) -> Self {
        Self(path: "\(path).@min.\(attribute)")
    }

    /// Returns the largest value of an attribute of related objects: `"songs.@max.played"`. The result is
    /// missing if no object has a value.
    ///
    /// - Parameters:
    ///   - attribute: The key path of the attribute from each related object.
    ///   - path: A dotted key path that ends with a to-many relationship.
    public static func maximum(of attribute: String, in path: String) -> Self {
        Self(path: "\(path).@max.\(attribute)")
    }

    /// Returns the type of the value that the key path's function computes; nil for an unknown attribute.
    package func aggregateType(of entity: EntityDescription, in model: ManagedObjectModel) -> AttributeType? {
        guard let aggregate else { return nil }
        switch aggregate.function {
        case .count: return .integer64
        case .average: return model.typeOfAttribute(aggregate.path, from: entity)?.averageType
        case .minimum, .maximum: return model.typeOfAttribute(aggregate.path, from: entity)
        case .sum: return model.typeOfAttribute(aggregate.path, from: entity)?.sumType
        }
    }
}
