import SectionedFetch
import ToolSupport

/// A property that is printed for each row.
struct Column {
    /// The most attributes that are printed when nobody says which.
    private static let defaultCount = 4

    let property: KeyPathProperty

    /// The columns named in an option, each once, or a few attributes that say something beside the section's
    /// name.
    ///
    /// - Throws: ``ObjectStorageError`` for a property that is not there, with the nearest name.
    static func columns(
        _ option: String?, for list: ListRequest, in container: PersistentContainer
    ) throws(ObjectStorageError) -> [Column] {
        let entityName = list.fetchRequest.entityName
        let paths: [String]
        if let option {
            paths = option.split(separator: ",", omittingEmptySubsequences: false).map { path in
                String(path.drop { $0 == " " })
            }
        } else {
            let shown = list.sectionKey?.description
            let attributes = try container.model.requireEntity(named: entityName).attributes
            paths = attributes.filter { $0.type != .binaryData && $0.name != shown }.prefix(defaultCount).map(
                \.name)
        }
        var columns: [Column] = []
        var known = Set<String>()
        for path in paths where known.insert(path).inserted {
            columns.append(Column(property: try KeyPathProperty(path, of: entityName, in: container)))
        }
        return columns
    }

    /// Numbers stand at the right.
    var alignment: TextTable.Alignment {
        switch property.kind {
        case .attribute(.integer16), .attribute(.integer32), .attribute(.integer64), .attribute(.double),
            .attribute(.float), .objectID:
            .right
        default: .left
        }
    }
}
