/// The properties of one table whose columns would have equal names, and the assignment of columns to them.
///
/// Properties of different entities of a hierarchy can have the same name. Core Data then gives one of them
/// the plain name and the others the name with a digit: `ZTITLE`, `ZTITLE1`. The names are assigned in the
/// order of the entities' numbers.
struct ColumnClaims {
    /// A property that needs a column.
    struct Claim {
        /// The entity that declares the property.
        let entityName: String
        /// The number of that entity; nil for a property that may have a column, at an unknown position among
        /// the others.
        let number: Int64?
        /// The property's name.
        let property: String
        /// The plain name of the column, in capital letters.
        let base: String
    }

    /// The column of a claim.
    enum Assignment {
        /// A column of the table, with the reason why it may be the column of another property; nil if
        /// it is certain.
        case column(String, doubt: String?)
        /// The table has no column for the property.
        case missing
        /// The table has several columns of that name, and their order is unknown.
        case ambiguous

        /// The column; nil if it is missing or not known.
        var column: String? { if case .column(let name, _) = self { name } else { nil } }
        /// The reason why the column may be that of another property; nil if it is certain.
        var doubt: String? { if case .column(_, let doubt) = self { doubt } else { nil } }
    }

    private var claims: [Claim] = []

    /// Adds a property.
    mutating func add(_ property: String, of entityName: String, number: Int64?, prefix: String = "Z") {
        claims.append(
            Claim(
                entityName: entityName, number: number, property: property,
                base: prefix + property.uppercased()))
    }

    /// Returns the column of each claim with a number.
    ///
    /// - Parameter areRelated: Returns whether one of two entities inherits from the other. Unrelated
    ///   entities may share a column.
    /// - Complexity: O(*n*·log *n*) in the number of claims and columns.
    func columns(
        of table: StoreTables.Table, areRelated: (String, String) -> Bool
    ) -> [(claim: Claim, assignment: Assignment)] {
        let groups = Dictionary(grouping: claims, by: \.base)
        var result: [(claim: Claim, assignment: Assignment)] = []
        for (base, group) in groups.sorted(by: { $0.key < $1.key }) {
            let certain = group.filter { $0.number != nil }
                .sorted { ($0.number ?? 0, $0.property) < ($1.number ?? 0, $1.property) }
            // A column with a digit may also be the plain column of another property.
            let suffixed = (1...99).lazy.map { base + String($0) }.filter { groups[$0] == nil }
            let candidates = ([base] + Array(suffixed)).compactMap { table.columns[$0] }
            // One of the columns may belong to a property whose position is unknown.
            let isAmbiguous = certain.count < group.count && certain.count < candidates.count
            let doubt = Self.doubt(
                of: base, candidates, expected: [base] + suffixed.prefix(max(certain.count, 1) - 1),
                isComplete: certain.count == group.count, in: table)
            for (position, claim) in certain.enumerated() {
                if isAmbiguous {
                    result.append((claim, .ambiguous))
                } else if candidates.indices.contains(position) {
                    result.append((claim, .column(candidates[position], doubt: doubt)))
                } else if let first = candidates.first,
                    certain[..<position].allSatisfy({ !areRelated($0.entityName, claim.entityName) })
                {
                    result.append((claim, .column(first, doubt: doubt)))
                } else {
                    result.append((claim, .missing))
                }
            }
        }
        return result
    }

    /// Returns the reason why the columns of a name may be assigned to other properties; nil if the
    /// columns are exactly those that Core Data makes for the properties.
    private static func doubt(
        of base: String, _ candidates: [String], expected: [String], isComplete: Bool,
        in table: StoreTables.Table
    ) -> String? {
        guard isComplete else {
            return
                "one of the columns \(base) of the table \(table.name) may belong to a property that cannot be read."
        }
        guard candidates.map({ $0.uppercased() }) != expected else { return nil }
        return
            "the table \(table.name) has the columns \(candidates.joined(separator: ", ")) for properties of the name \(base), and these columns were expected: \(expected.joined(separator: ", "))."
    }
}
