import ObjectStorage
import SectionCaching

/// Computes the section index of a request from a snapshot of the store, and checks that its order can group.
enum SectionIndexComputation {
    /// Rises when the same data would give other sections, names or titles; part of every fingerprint.
    static let version = 1

    /// Computes the index.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/ungroupedSections`` where a section's key comes back after
    ///   another's, naming both rows and values.
    /// - Complexity: O(*n*) in the number of rows, after SQLite's query.
    static func compute(_ request: ResultsRequest, in snapshot: StoreSnapshot) throws -> SectionIndex {
        var builder = SectionIndex.Builder()
        guard let sectionKey = request.sectionKey else {
            builder.beginSection(identity: [], name: "", indexTitle: "")
            try snapshot.scanKeys { builder.append($0) }
            return builder.finish()
        }
        let type = request.sectionAttributeType
        let nameType = request.nameAttributeType
        var firstRows: [[UInt8]: Int64] = [:]
        var previous: StoreSnapshot.GroupStart?
        try snapshot.scanGroups { start in
            if let firstRow = firstRows.updateValue(start.firstKey, forKey: start.identity) {
                throw ungrouped(request, start, firstRow: firstRow, previous: previous)
            }
            previous = start
            let (name, indexTitle) = name(of: start, sectionKey, type, nameType)
            builder.beginSection(identity: start.identity, name: name, indexTitle: indexTitle)
        } row: {
            builder.append($0)
        }
        return builder.finish()
    }

    /// What a section is called that begins with a row, and its title in an index bar.
    static func name(
        of start: StoreSnapshot.GroupStart, _ request: ResultsRequest
    ) -> (name: String, indexTitle: String) {
        guard let sectionKey = request.sectionKey else { return ("", "") }
        return name(of: start, sectionKey, request.sectionAttributeType, request.nameAttributeType)
    }

    private static func name(
        of start: StoreSnapshot.GroupStart, _ key: SectionKey, _ type: AttributeType?,
        _ nameType: AttributeType?
    ) -> (name: String, indexTitle: String) {
        let name =
            start.name.map {
                SectionName.name(of: $0, expression: key.nameExpression ?? key.expression, type: nameType)
            } ?? SectionName.name(of: start.key, expression: key.expression, type: type)
        return (name, SectionName.indexTitle(of: name))
    }

    private static func ungrouped(
        _ request: ResultsRequest, _ start: StoreSnapshot.GroupStart, firstRow: Int64,
        previous: StoreSnapshot.GroupStart?
    ) -> ObjectStorageError {
        let entityName = request.request.entityName
        let order = request.request.sort.map(\.description).joined(separator: "; ")
        let between = previous.map { " with section \($0.key) in between" } ?? ""
        return ObjectStorageError(
            .ungroupedSections,
            "Sorted by \(order), the rows of “\(entityName)” do not come in sections by \(request.sectionKey?.description ?? ""): "
                + "\(entityName)/\(firstRow) and \(entityName)/\(start.firstKey) are both in section \(start.key)\(between). "
                + "Sort by the section key first, in an order that keeps equal values together.",
            entityName: entityName,
            objectID: ObjectID(entityName: entityName, primaryKey: start.firstKey))
    }
}

extension ObjectStorageError.Code {
    /// The order of a request does not keep the rows of a section together.
    public static let ungroupedSections = Self(rawValue: "ungroupedSections")
}
