import ObjectStorage
import SectionCaching

/// The computation of a request's section index from a snapshot of the store. It checks that the order keeps
/// sections together.
enum SectionIndexComputation {
    /// The version of the computation, part of every fingerprint. It is incremented when the same data would
    /// give other sections, names or titles.
    static let version = 1

    /// Computes the index.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/ungroupedSections`` if the key of a
    ///   section returns after that of another one; the message names both rows and values.
    /// - Complexity: O(*n*) in the number of rows, after SQLite's query.
    static func compute(_ request: ResultsRequest, in snapshot: StoreSnapshot) throws -> SectionIndex {
        var builder = SectionIndex.Builder()
        guard let names = request.names else {
            builder.beginSection(identity: [], name: "", indexTitle: "")
            try snapshot.scanKeys { builder.append($0) }
            return builder.finish()
        }
        var firstRows: [[UInt8]: Int64] = [:]
        var previous: StoreSnapshot.GroupStart?
        var declared = request.declaredIdentities[...]
        func beginSection(_ identity: [UInt8], _ name: String) {
            builder.beginSection(
                identity: identity, name: name,
                indexTitle: SectionName.indexTitle(of: name, key: request.sectionKey))
        }
        try snapshot.scanGroups { start in
            if let firstRow = firstRows.updateValue(start.firstKey, forKey: start.identity) {
                throw ungrouped(request, names, start, firstRow: firstRow, previous: previous)
            }
            previous = start
            // The rows of declared sections come in their order, before all others.
            while let next = declared.popFirst(), next != start.identity {
                beginSection(next, names.nameOfEmptySection(next))
            }
            beginSection(start.identity, names.name(of: start))
        } row: {
            builder.append($0)
        }
        for next in declared { beginSection(next, names.nameOfEmptySection(next)) }
        let index = builder.finish()
        if request.sectionKey?.isNested == true { try checkNesting(of: index, request) }
        return index
    }

    /// Checks that the order keeps the subsections of each section together.
    private static func checkNesting(of index: SectionIndex, _ request: ResultsRequest) throws {
        guard let repeated = SectionOutline(index).repeatedSection(),
            let keys = index.rowIDs(in: 0..<index.numberOfRows)
        else { return }
        let entityName = request.request.entityName
        let order = request.request.sort.map(\.description).joined(separator: "; ")
        let rows = [repeated.first, repeated.second].map {
            request.objectID(ofKey: keys[index.rows(ofSection: $0).lowerBound])
        }
        let name = index.section(at: repeated.first).name
        throw ObjectStorageError(
            .ungroupedSections,
            "Sorted by \(order), the rows of “\(entityName)” do not come in sections by \(request.sectionKey?.parts.first?.description ?? ""): "
                + "\(rows[0]) and \(rows[1]) are both in section “\(NestedName(name)?.outer ?? name)”, with another section in between. "
                + "Sort by the key of the sections first, then by that of the subsections.",
            entityName: entityName, objectID: rows[1])
    }

    private static func ungrouped(
        _ request: ResultsRequest, _ names: SectionNames, _ start: StoreSnapshot.GroupStart,
        firstRow: Int64, previous: StoreSnapshot.GroupStart?
    ) -> ObjectStorageError {
        let entityName = request.request.entityName
        let order = request.request.sort.map(\.description).joined(separator: "; ")
        // An empty name does not distinguish null from an empty text.
        func shown(_ start: StoreSnapshot.GroupStart) -> String {
            let name = names.name(of: start)
            return name.isEmpty ? "\(start.key)" : "“\(name)”"
        }
        let hint =
            if case .indexLetter(let locale) = request.sectionKey?.expression.function {
                ", or by the text in the order of an index (TextOrder.indexed, “\(locale)”)"
            } else { "" }
        let between = previous.map { " with section \(shown($0)) in between" } ?? ""
        return ObjectStorageError(
            .ungroupedSections,
            "Sorted by \(order), the rows of “\(entityName)” do not come in sections by \(request.sectionKey?.description ?? ""): "
                + "\(request.objectID(ofKey: firstRow)) and \(request.objectID(ofKey: start.firstKey)) are both in section \(shown(start))\(between). "
                + "Sort by the section key first, in an order that keeps equal values together\(hint).",
            entityName: entityName,
            objectID: request.objectID(ofKey: start.firstKey))
    }
}

extension ObjectStorageError.Code {
    /// The order of a request does not keep the rows of a section together.
    public static let ungroupedSections = Self(rawValue: "ungroupedSections")
}
