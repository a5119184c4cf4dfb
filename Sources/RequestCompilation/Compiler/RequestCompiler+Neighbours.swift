package import ObjectModel

/// SQL that finds the rows adjacent to a given one by the columns of its table that determine the order. With
/// an index of these columns, each statement is a single search.
package struct NeighbourSQL: Sendable {
    /// Statements for the next row, tried in turn until one finds a row. Each binds the row's key as
    /// ``CompiledRows/sortKeySQL`` does, and selects the key and the values of the order.
    package let next: [String]
    /// Statements for the previous row, with the same parameters and columns.
    package let previous: [String]
}

extension RequestCompiler {
    /// Compiles the alternatives of SQL for the adjacent rows; none for an order with several directions, or
    /// with values that are not columns.
    ///
    /// The first alternative is a single search by the columns and the key, for which SQLite reads all rows
    /// with equal values in the columns. The second is faster if these are many: the next of them by key,
    /// then the next row with other values.
    ///
    /// Case-insensitive and localized orders, and orders by first letters or years, use the columns as well:
    /// the next row in byte order is usually close in the request's order.
    ///
    /// The values of the given row have a unary plus, which removes their affinity. Without it, SQLite would
    /// compare two columns by an affinity that may differ from that of the indexed column, and would then
    /// search only the first column of the index. The collations are not compared with the index: SQLite
    /// decides whether an index applies, and a row that is not directly adjacent is still correct, only less
    /// useful.
    ///
    /// - Parameters:
    ///   - sortKeyColumns: The columns that ``CompiledRows/sortKeySQL`` selects.
    ///   - parameter: The parameter for the row's key.
    package func neighbourSQL(
        of request: RequestDescription, _ entity: EntityDescription, sortKeyColumns: [String],
        parameter: String
    ) -> [NeighbourSQL] {
        guard request.precedence == nil, entity.union == nil,
            let columns = indexableColumns(of: request, entity)
        else {
            return []
        }
        let table = entity.tableSQL
        let key = entity.keySQL
        func select(where condition: String, orderBy terms: [String]) -> String {
            "SELECT \(Self.list(sortKeyColumns)) FROM \(table) AS sf_row CROSS JOIN \(table) AS t0 "
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
        // Rows with equal columns are always ordered by ascending key, in either direction of the columns.
        guard isRising, !columns.isEmpty else { return [apart] }
        return [
            NeighbourSQL(
                next: [select(columns + [key], isNext: true)],
                previous: [select(columns + [key], isNext: false)]), apart,
        ]
    }

    /// Returns the columns by which a request sorts, each once, if all are columns of its table and all terms
    /// have the same direction.
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
