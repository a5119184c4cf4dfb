package import ObjectModel

extension RequestCompiler {
    /// Compiles a request for rows of selected values.
    package mutating func compile(
        _ request: RequestDescription, values: ValueColumns, entity: EntityDescription
    ) throws(ObjectStorageError) -> CompiledRequest {
        let isAggregate = values.columns.contains { if case .aggregate = $0 { true } else { false } }
        var groups: [String] = []
        // The columns whose texts do not sort like their numbers.
        var decimals: Set<String> = []
        for expression in values.groups {
            groups.append(try self.expression(expression, of: entity, use: "group by"))
            if isDecimal(expression, of: entity) { decimals.insert(groups[groups.count - 1]) }
        }
        let isWindowed = request.limit > 0 || request.offset > 0
        // Aggregates of all objects in a window are computed over a subquery for its rows.
        let nests = isAggregate && groups.isEmpty && isWindowed
        var selected: [String] = []
        var inner: [String] = []
        for column in values.columns {
            switch column {
            case .value(let expression):
                let sql = try self.expression(expression, of: entity, use: "be fetched")
                guard !isAggregate && groups.isEmpty || groups.contains(sql) else {
                    throw invalid(
                        "“\(expression)” has many values, and the request fetches aggregates. Group by it.",
                        entity)
                }
                selected.append(sql)
                if isDecimal(expression, of: entity) { decimals.insert(sql) }
            case .aggregate(let term):
                let operand = try self.operand(of: term, entity)
                inner.append("\(operand ?? "1") AS a\(inner.count)")
                selected.append(
                    call(term, of: entity, nests ? operand.map { _ in "a\(inner.count - 1)" } : operand))
            }
        }
        let condition = try self.condition(of: request, entity)
        var group = ""
        if !groups.isEmpty { group = " GROUP BY \(groups.joined(separator: ", "))" }
        if let condition = values.condition {
            guard !groups.isEmpty else { throw invalid("A condition on groups needs groups.", entity) }
            let operand = try self.operand(of: condition.aggregate, entity)
            group += " HAVING \(try self.condition(condition, operand, entity))"
        }
        let allowed = !groups.isEmpty ? groups : values.isDistinct ? selected : nil
        var terms: [String] = []
        for term in request.sort where !(isAggregate && groups.isEmpty) || nests {
            let sql = try self.expression(term.expression, of: entity, use: "sort by")
            guard allowed?.contains(sql) ?? true else {
                throw invalid(
                    "“\(term.expression)” is not a column of the result, so groups or distinct rows cannot be sorted by it.",
                    entity)
            }
            terms.append(try orderTerm(term, sql: sql, of: entity))
        }
        if let allowed {
            terms += allowed.map { decimals.contains($0) ? "sf_decimal(\($0))" : $0 }
        } else if !isAggregate || nests {
            terms.append("t0." + entity.keySQL)
        }
        // All joins are known at this point.
        var source = " FROM \(entity.tableSQL) AS t0"
        for join in scopes[0].joins { source += " " + join }
        if let condition { source += " WHERE \(condition)" }
        source += group
        if !terms.isEmpty { source += " ORDER BY \(terms.joined(separator: ", "))" }
        if isWindowed { source += windowClause(request) }
        let list = selected.joined(separator: ", ")
        let sql =
            nests
            ? "SELECT \(list) FROM (SELECT \(inner.joined(separator: ", "))\(source))"
            : "SELECT \(values.isDistinct ? "DISTINCT " : "")\(list)\(source)"
        return try compiled(sql, .values(values), of: entity)
    }

    /// Returns the SQL of an aggregate's operand; nil for a count of objects.
    private mutating func operand(
        of term: AggregateTerm, _ entity: EntityDescription
    ) throws(ObjectStorageError) -> String? {
        guard let expression = term.expression else { return nil }
        let sql = try self.expression(expression, of: entity, use: "be aggregated")
        if term.function == .sum || term.function == .average {
            let type = expression.type(of: entity, in: model)
            guard (term.function == .sum ? type?.sumType : type?.averageType) != nil else {
                throw ObjectStorageError(
                    .invalidRequest,
                    "The \(term.function.rawValue) of “\(expression)” cannot be computed: it is not a number that SQLite can add.",
                    entityName: entity.name, propertyName: expression.path)
            }
        }
        return sql
    }

    private func call(_ term: AggregateTerm, of entity: EntityDescription, _ operand: String?) -> String {
        let operand = operand ?? "*"
        if isDecimal(term, of: entity) { return "sf_decimal_\(term.function.rawValue)(\(operand))" }
        return switch term.function {
        case .count: "count(\(operand))"
        case .countDistinct: "count(DISTINCT \(operand))"
        case .sum: "sum(\(operand))"
        case .average: "avg(\(operand))"
        case .min: "min(\(operand))"
        case .max: "max(\(operand))"
        }
    }

    /// Compiles a condition on groups; if the aggregate is a decimal, both sides are compared as decimals.
    private mutating func condition(
        _ condition: ValueColumns.Condition, _ operand: String?, _ entity: EntityDescription
    ) throws(ObjectStorageError) -> String {
        let aggregate = call(condition.aggregate, of: entity, operand)
        guard isDecimal(condition.aggregate, of: entity), !condition.value.isNull else {
            return "\(aggregate) \(condition.symbol) \(bind(condition.value))"
        }
        guard DecimalNumber(condition.value) != nil else {
            throw invalid(
                "A condition on groups compares a decimal with \(condition.value), which is not a number.",
                entity)
        }
        let value = bind(DecimalNumber.comparable(condition.value))
        return "sf_decimal(\(aggregate)) \(condition.symbol) \(value)"
    }

    private func isDecimal(_ expression: KeyExpression, of entity: EntityDescription) -> Bool {
        expression.type(of: entity, in: model) == .decimal
    }

    /// Returns whether an aggregate is computed by a function of the library whose value is a decimal.
    private func isDecimal(_ term: AggregateTerm, of entity: EntityDescription) -> Bool {
        guard let expression = term.expression, isDecimal(expression, of: entity) else { return false }
        return [.sum, .min, .max].contains(term.function)
    }

    private func invalid(_ message: String, _ entity: EntityDescription) -> ObjectStorageError {
        ObjectStorageError(.invalidRequest, message, entityName: entity.name)
    }
}
