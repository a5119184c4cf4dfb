import ObjectModel

/// The default values of columns, as far as they are literals.
enum DeclaredDefault {
    /// Returns the default of an attribute from the default of its column; null for an expression, and for a
    /// value that the attribute cannot have.
    static func value(_ sql: String?, of inferred: ColumnContents.Inference) -> StoredValue {
        guard let literal = sql.flatMap(literal) else { return .null }
        let value = inferred.type.normalized(inferred.form?.value(ofColumn: literal) ?? literal)
        return inferred.type.accepts(value) ? value : .null
    }

    private static func literal(_ sql: String) -> StoredValue? {
        if let number = Int64(sql) { return .integer(number) }
        switch sql.lowercased() {
        case "true": return .integer(1)
        case "false": return .integer(0)
        default: break
        }
        let scalars = Array(sql.unicodeScalars)
        if let first = scalars.first, first == "'" || first == "\"", scalars.count >= 2,
            scalars.last == first
        {
            var text = String.UnicodeScalarView()
            var isDoubled = false
            for scalar in scalars.dropFirst().dropLast() {
                isDoubled = scalar == first && !isDoubled
                if !isDoubled { text.append(scalar) }
            }
            return .text(String(text))
        }
        let isNumber = sql.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        guard isNumber, let number = Double(sql), number.isFinite else { return nil }
        return .real(number)
    }
}
