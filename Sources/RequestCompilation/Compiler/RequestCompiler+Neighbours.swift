/// SQL that finds the rows next to one by the columns of its own table that the order is made of: an index of
/// these columns gives each with one search.
struct NeighbourSQL: Sendable {
    /// Tried one after the other until a row is found. Each binds the row's key as ``CompiledRows/placeSQL``
    /// does, and gives the key and the values of the order.
    let next: [String]
    /// The same for the row before.
    let previous: [String]
}

extension RequestCompiler {
    /// Compiles the SQL for the rows next to one, in the ways there are; none for orders that have more than
    /// one direction, or other values than those of columns.
    ///
    /// The first way is the shorter one: a search by the columns and the key. SQLite goes through the rows
    /// that are equal in the columns. Where they are many the other way serves: the next among them by its
    /// key, then the next that has other values.
    ///
    /// An order by texts without regard to case, in a locale's way, or by first letters or years goes by the
    /// columns as well: who stands next in the order of the bytes mostly stands near.
    ///
    /// The values of the row itself have a plus sign before them: SQLite compares two columns without an
    /// affinity, and searches only the first column of an index for a list of such. Nothing compares the
    /// collations: whether an index serves is for SQLite to say, and rows that are not the very next are as
    /// true as others, of less use only.
    ///
    /// - Parameters:
    ///   - placed: What ``CompiledRows/placeSQL`` selects.
    ///   - parameter: The parameter for the row's key.
    func neighbourSQL(
        of request: RequestDescription, _ entity: EntityDescription, placed: [String], parameter: String
    ) -> [NeighbourSQL] {
        guard request.precedence == nil, let columns = indexableColumns(of: request, entity) else {
            return []
        }
        let table = entity.tableSQL
        let key = entity.keySQL
        func select(where condition: String, orderBy terms: [String]) -> String {
            "SELECT \(Self.list(placed)) FROM \(table) AS sf_row CROSS JOIN \(table) AS t0 "
                + "WHERE sf_row.\(key) = \(parameter) AND \(condition) ORDER BY \(Self.list(terms)) LIMIT 1"
        }
        let isRising = request.sort.first?.isAscending ?? true
        func select(_ columns: [String], isNext: Bool) -> String {
            let isAbove = isNext == isRising
            return select(
                where: "(\(Self.list(columns.map { "t0." + $0 }))) \(isAbove ? ">" : "<") "
                    + "(\(Self.list(columns.map { "+sf_row." + $0 })))",
                orderBy: columns.map { "t0.\($0)\(isAbove ? "" : " DESC")" })
        }
        func selectApart(isNext: Bool) -> [String] {
            let equal = columns.reduce("") { $0 + "t0.\($1) = +sf_row.\($1) AND " }
            let ties = select(
                where: "\(equal)t0.\(key) \(isNext ? ">" : "<") +sf_row.\(key)",
                orderBy: ["t0.\(key)\(isNext ? "" : " DESC")"])
            return columns.isEmpty ? [ties] : [ties, select(columns, isNext: isNext)]
        }
        let apart = NeighbourSQL(next: selectApart(isNext: true), previous: selectApart(isNext: false))
        // Rows that are equal in the columns are in the order of their keys, whichever way the columns go.
        guard isRising, !columns.isEmpty else { return [apart] }
        return [
            NeighbourSQL(
                next: [select(columns + [key], isNext: true)],
                previous: [select(columns + [key], isNext: false)]), apart,
        ]
    }

    /// The columns that a request sorts by, each once, if all are columns of its table and all terms have one
    /// direction.
    private func indexableColumns(of request: RequestDescription, _ entity: EntityDescription) -> [String]? {
        var columns: [String] = []
        for term in request.sort {
            let name = term.expression.path
            guard term.isAscending == request.sort[0].isAscending, hasPlainColumn(name, entity) else {
                return nil
            }
            let column = entity.columnSQL(name)
            if !columns.contains(column) { columns.append(column) }
        }
        return columns
    }

    private func hasPlainColumn(_ name: String, _ entity: EntityDescription) -> Bool {
        guard entity.mapping?.table.forms[name] == nil else { return false }
        if let relationship = entity.relationship(named: name) { return !relationship.isToMany }
        guard let attribute = entity.attribute(named: name) else { return false }
        return attribute.type != .decimal && !attribute.allowsExternalStorage && !attribute.isTransient
    }
}
