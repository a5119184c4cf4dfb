import ObjectStorage
import SectionCaching

/// The names of a request's sections.
struct SectionNames: Sendable {
    private let key: SectionKey
    private let type: AttributeType?
    private let nameType: AttributeType?
    private var declared: [[UInt8]: DeclaredSection] = [:]
    /// The types of the values that name a section by each part of a combined key.
    private let partTypes: [AttributeType?]

    init(_ request: ResultsRequest, _ key: SectionKey) {
        self.key = key
        type = request.sectionType
        nameType = request.nameType
        partTypes = key.parts.map { request.type(of: $0.nameExpression ?? $0.expression) }
        for section in key.declaredSections { declared[section.identity] = section }
    }

    /// Returns the name of a section that begins with a row.
    func name(of start: StoreSnapshot.GroupStart) -> String {
        if !declared.isEmpty, let name = declared[start.identity]?.name { return name }
        if !key.parts.isEmpty { return combinedName(of: start.name ?? start.key) }
        guard let value = start.name else {
            return SectionName.name(of: start.key, expression: key.expression, type: type)
        }
        return SectionName.name(of: value, expression: key.nameExpression ?? key.expression, type: nameType)
    }

    private func combinedName(of value: StoredValue) -> String {
        guard case .blob(let bytes) = value, let values = CombinedValue.values(in: bytes),
            values.count == key.parts.count
        else { return "" }
        let names = values.indices.map { position in
            let part = key.parts[position]
            return SectionName.name(
                of: values[position], expression: part.nameExpression ?? part.expression,
                type: partTypes[position])
        }
        return key.isNested
            ? NestedName(outer: names[0], inner: names[1]).text : names.joined(separator: ", ")
    }

    /// Returns the name of a declared section without rows.
    func nameOfEmptySection(_ identity: [UInt8]) -> String {
        guard let section = declared[identity] else { return "" }
        return section.name ?? SectionName.name(of: section.value, expression: key.expression, type: type)
    }
}
