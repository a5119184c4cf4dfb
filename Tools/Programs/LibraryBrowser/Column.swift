import ArgumentParser
import SectionedFetch
import ToolSupport

/// A property that is printed for each row.
struct Column {
    /// The largest number of attributes that are printed by default.
    private static let defaultCount = 4

    let property: KeyPathProperty

    /// Returns the columns named in an option, or by default the properties of the order and of computed
    /// section keys, and up to four columns in total of the other attributes.
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
            paths = try defaultPaths(for: list, in: container)
        }
        return try paths.map { Column(property: try KeyPathProperty($0, of: entityName, in: container)) }
    }

    /// Returns the properties of the order and of computed section keys, then attributes by the use of their
    /// values for a reader: names and titles first, identifiers last. Plain section keys are in the headings.
    private static func defaultPaths(
        for list: ListRequest, in container: PersistentContainer
    ) throws(ObjectStorageError) -> [String] {
        let entityName = list.fetchRequest.entityName
        let entity = try container.model.requireList(named: entityName)
        let keys = (list.groups + [list.subgroup].compactMap(\.self)).map(\.expression)
        let headings = keys.filter { if case .value = $0.function { true } else { false } }.map(\.path)
        let requested = (list.fetchRequest.sortDescriptors.map(\.term.expression) + keys).map(\.path).filter {
            // A computed path, such as that of a count, has no property.
            guard $0 != "objectID", !headings.contains($0),
                let property = try? KeyPathProperty($0, of: entityName, in: container)
            else { return false }
            return property.kind != .attribute(.binaryData)
        }
        let attributes = entity.attributes.filter {
            $0.type != .binaryData && $0.name != list.sectionKey?.description
        }.map(\.name)
        let ranked = (0...3).flatMap { rank in attributes.filter { Self.rank(ofAttribute: $0) == rank } }
        var paths: [String] = []
        for path in requested + ranked where !paths.contains(path) {
            guard paths.count < max(defaultCount, requested.count) else { break }
            paths.append(path)
        }
        // The identity names the entity of each row.
        return (entity.union == nil ? [] : ["objectID"]) + paths
    }

    private static func rank(ofAttribute name: String) -> Int {
        let word = name.lowercased()
        if ["name", "title"].contains(word) { return 0 }
        if ["name", "title"].contains(where: word.hasSuffix) { return 1 }
        let isIdentifier =
            ["id", "uuid", "guid", "identifier"].contains(word) || word.hasSuffix("_id")
            || name.hasSuffix("ID")
            || name.hasSuffix("Id")
        return isIdentifier ? 3 : 2
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
