import ArgumentParser
import SectionedFetch
import ToolSupport

/// A property that is printed for each row.
struct Column {
    /// The largest number of attributes that are printed by default.
    private static let defaultCount = 4

    let property: KeyPathProperty

    /// Returns the columns named in an option, or by default the first attributes other than the section key
    /// and binary data.
    ///
    /// - Throws: ``ObjectStorageError`` for an unknown property, with the nearest name; `ValidationError` for
    ///   an empty name and for a property that is named twice.
    static func columns(
        _ option: String?, for list: ListRequest, in container: PersistentContainer
    ) throws -> [Column] {
        let entityName = list.fetchRequest.entityName
        let paths: [String]
        if let option {
            let names = PropertyNames(of: entityName, in: container.model)
            paths = names.paths(option)
            try check(paths, option)
        } else {
            let shown = list.sectionKey?.description
            let entity = try container.model.requireList(named: entityName)
            // The identity names the entity of each row.
            let identity = entity.union == nil ? [] : ["objectID"]
            paths =
                identity
                + entity.attributes.filter { $0.type != .binaryData && $0.name != shown }.prefix(defaultCount)
                .map(
                    \.name)
        }
        return try paths.map { Column(property: try KeyPathProperty($0, of: entityName, in: container)) }
    }

    private static func check(_ paths: [String], _ option: String) throws(ValidationError) {
        guard !paths.contains("") else {
            throw ValidationError(
                "--columns “\(option)” contains an empty name. Separate the names of properties by single commas."
            )
        }
        var known = Set<String>()
        for path in paths where !known.insert(path).inserted {
            throw ValidationError("--columns “\(option)” names “\(path)” twice. Name each property once.")
        }
    }

    /// The alignment of the column's cells: right for numbers, left for other types.
    var alignment: TextTable.Alignment {
        switch property.kind {
        case .attribute(.integer16), .attribute(.integer32), .attribute(.integer64), .attribute(.double),
            .attribute(.float), .objectID:
            .right
        default: .left
        }
    }
}
