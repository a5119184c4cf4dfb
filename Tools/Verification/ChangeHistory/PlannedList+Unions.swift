import SectionedFetch
import CheckSupport

/// Lists of several entities.
extension PlannedList {
    /// The entities whose objects are listed.
    var entityNames: [String] { entityName.split(separator: "+").map(String.init) }

    /// Makes the list one of parts, shelves and halls, which share a name and a note.
    ///
    /// - Parameter generator: A copy, so that other lists of the history are unchanged.
    mutating func unite(_ schema: WarehouseSchema, _ generator: SeededGenerator) {
        var generator = generator
        let unions = ["Part+Shelf", "Hall+Part+Shelf"] + (schema.isOurs ? ["Shelf+Machine+Hall"] : [])
        entityName = generator.one(of: unions)
        condition = nil
        if generator.once(in: 2) {
            condition =
                generator.once(in: 2)
                ? .nameBegins(generator.one(of: ["s", "h", "a", "item"]))
                : .noteAbove(generator.number(below: 500))
        }
        (sectionName, subsection, declaredLots, displayed) = (nil, nil, [], [])
        section = generator.one(of: [nil, .letter, .foldedName, .field(.note), .field(.name)])
        terms = section.map { [.shared($0, &generator, mayFold: false)] } ?? []
        if section == .foldedName { sectionName = .field(.name) }
        if section == .field(.note), generator.once(in: 2) {
            subsection = .letter
            terms.append(.shared(.letter, &generator, mayFold: false))
        }
        let keys = [Key.field(.name), .field(.note), .letter, .foldedName]
        for _ in 0..<Int.random(in: terms.isEmpty ? 1..<3 : 0..<3, using: &generator) {
            terms.append(.shared(generator.one(of: keys), &generator, mayFold: true))
        }
        if reported != nil { reported = generator.one(of: [[], ["name"], ["note"], ["name", "note"]]) }
    }
}

extension Term {
    /// Returns a term by a property that all entities have. The names of shelves and halls are not among the
    /// samples whose localized order the oracle knows.
    fileprivate static func shared(_ key: Key, _ generator: inout SeededGenerator, mayFold: Bool) -> Term {
        var term = random(key, &generator, mayFold: mayFold)
        if term.order != .caseInsensitive { term.order = .binary }
        return term
    }
}
