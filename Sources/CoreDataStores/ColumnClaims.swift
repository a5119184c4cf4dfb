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
        /// The number of that entity.
        let number: Int64
        /// The property's name.
        let property: String
        /// The plain name of the column, in capital letters.
        let base: String
    }

    private var claims: [Claim] = []

    /// Adds a property.
    mutating func add(_ property: String, of entityName: String, number: Int64, prefix: String = "Z") {
        claims.append(
            Claim(
                entityName: entityName, number: number, property: property,
                base: prefix + property.uppercased()))
    }

    /// Returns the column of each claim, or nil for a claim without a column in the table.
    ///
    /// - Parameter areRelated: Returns whether one of two entities inherits from the other. Unrelated
    ///   entities may share a column.
    /// - Complexity: O(*n*·log *n*) in the number of claims and columns.
    func columns(
        of table: StoreTables.Table, areRelated: (String, String) -> Bool
    ) -> [(claim: Claim, column: String?)] {
        let groups = Dictionary(grouping: claims, by: \.base)
        var result: [(claim: Claim, column: String?)] = []
        for (base, group) in groups.sorted(by: { $0.key < $1.key }) {
            let group = group.sorted { ($0.number, $0.property) < ($1.number, $1.property) }
            // A column with a digit may also be the plain column of another property.
            let suffixed = (1...99).lazy.map { base + String($0) }.filter { groups[$0] == nil }
            let candidates = ([base] + Array(suffixed)).compactMap { table.columns[$0] }
            for (position, claim) in group.enumerated() {
                if candidates.indices.contains(position) {
                    result.append((claim, candidates[position]))
                    continue
                }
                let isShared = group[..<position].allSatisfy {
                    !areRelated($0.entityName, claim.entityName)
                }
                result.append((claim, isShared ? candidates.first : nil))
            }
        }
        return result
    }
}
