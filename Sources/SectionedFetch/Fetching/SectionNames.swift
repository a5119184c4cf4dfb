import ObjectStorage

/// The names of a request's sections.
struct SectionNames: Sendable {
    private let key: SectionKey
    private let type: AttributeType?
    private let nameType: AttributeType?
    private var declared: [[UInt8]: DeclaredSection] = [:]

    init(_ request: ResultsRequest, _ key: SectionKey) {
        self.key = key
        type = request.sectionType
        nameType = request.nameType
        for section in key.declaredSections { declared[section.identity] = section }
    }

    /// Returns the name of a section that begins with a row.
    func name(of start: StoreSnapshot.GroupStart) -> String {
        if !declared.isEmpty, let name = declared[start.identity]?.name { return name }
        guard let value = start.name else {
            return SectionName.name(of: start.key, expression: key.expression, type: type)
        }
        return SectionName.name(of: value, expression: key.nameExpression ?? key.expression, type: nameType)
    }

    /// Returns the name of a declared section without rows.
    func nameOfEmptySection(_ identity: [UInt8]) -> String {
        guard let section = declared[identity] else { return "" }
        return section.name ?? SectionName.name(of: section.value, expression: key.expression, type: type)
    }
}
