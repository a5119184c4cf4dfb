import Foundation
import SectionedFetch
import CheckSupport

/// A random list, as a view may show it: a request, and an oracle for its sections and rows.
struct PlannedList {
    var entityName = "Part"
    var condition: Condition?
    /// The section key, and the key of the section names if it is another one.
    var section: Key?
    var sectionName: Key?
    /// The key of subsections, for nested sections.
    var subsection: Key?
    var terms: [Term] = []
    var limit = 0
    var offset = 0
    var includesPendingChanges = true

    /// The key paths that a view shows although the request does not read them.
    var displayed: [String] = []
    /// The attributes of parts whose changes are reported as updates, and the key paths of related objects;
    /// nil for all.
    var reported: Set<String>?

    /// The lots with declared sections, which come first and exist without rows as well. The element nil is
    /// the section of the parts without a lot.
    var declaredLots: [String?] = []

    /// Returns a random list over a warehouse.
    static func random(_ schema: WarehouseSchema, _ generator: inout SeededGenerator) -> PlannedList {
        var list = PlannedList()
        if schema.isOurs, generator.once(in: 8) { list.entityName = "Machine" }
        if !generator.once(in: 3) {
            list.condition = generator.once(in: 3) ? .ofCollections(&generator) : .random(&generator)
        }
        // The remainder chooses among keys of one kind, so that it does not change the rest of the list.
        let choice = Int.random(in: 0..<48, using: &generator)
        switch choice / 4 {
        case 0...1: list.group(by: .field(.lot), &generator)
        case 2...3: list.group(by: .field(.lot), named: .field(.name), &generator)
        case 4: list.group(by: .shelfName, &generator)
        case 5: list.group(by: .hallName, &generator)
        case 6: list.group(by: .shelf, named: .shelfName, &generator)
        case 7 where choice % 4 == 0: list.group(by: .foldedName, named: .field(.name), &generator)
        case 7: list.group(by: choice % 4 == 1 ? .index : .letter, &generator)
        case 8:
            let keys: [Key] = choice % 2 == 0 ? [.year, .month] : [.decade, .quarter]
            list.group(by: keys[generator.once(in: 2) ? 0 : 1], &generator)
        case 9: list.group(by: [.span, .range, .shelfCount][choice % 3], &generator)
        default: break
        }
        if list.section != nil, list.section != .shelf, choice % 4 == 3 { list.subdivide(&generator) }
        for _ in 0..<Int.random(in: list.terms.isEmpty ? 1..<4 : 0..<3, using: &generator) {
            list.terms.append(.random(&generator))
        }
        if generator.once(in: 3) {
            list.limit = generator.once(in: 4) ? 0 : Int.random(in: 1..<60, using: &generator)
            list.offset = generator.once(in: 3) ? 0 : Int.random(in: 1..<30, using: &generator)
        }
        list.includesPendingChanges = !generator.once(in: 5)
        if generator.once(in: 5) {
            let related = [["shelf.name"], ["shelf.hall.name"]]
            // Without a log, relationships to many cannot be followed.
            let collections = [["tags"], ["shelf.note", "tags.word"]]
            list.displayed = generator.one(
                of: schema.origin == .untracked ? related : related + collections)
        }
        if generator.once(in: 5) { list.reported = .random(&generator, reach: list.reach) }
        if list.section == .field(.lot), list.subsection == nil, generator.once(in: 2) {
            let lots = Samples.texts.shuffled(using: &generator).prefix(
                Int.random(in: 1..<6, using: &generator))
            list.declaredLots = lots.map { generator.once(in: 8) ? nil : $0 }
            if let none = list.declaredLots.firstIndex(of: nil) {
                list.declaredLots =
                    list.declaredLots[...none] + list.declaredLots[none...].filter { $0 != nil }
            }
        }
        if choice % 5 == 2 { list.unite(schema, generator) }
        return list
    }

    private mutating func group(by key: Key, named name: Key? = nil, _ generator: inout SeededGenerator) {
        section = key
        sectionName = name
        // No two shelves have the same name, so an order by name keeps the parts of a shelf together. An
        // order by date keeps years together, and an order by rank keeps spans together.
        let first: Key =
            switch key {
            case .shelf: .shelfName
            case .year where generator.once(in: 2), .decade where generator.once(in: 2): .field(.made)
            case .span where generator.once(in: 2), .range where generator.once(in: 2): .field(.rank)
            default: key
            }
        terms = [.random(first, &generator, mayFold: false)]
    }

    /// Divides the sections into subsections.
    private mutating func subdivide(_ generator: inout SeededGenerator) {
        let key = generator.one(of: [Key.letter, .quarter, .hallName, .shelfNote, .range, .tagCount])
        guard key != section else { return }
        // Rows with the same key of the section must have one order.
        terms = [
            Term.random(section ?? key, &generator, mayFold: false), .random(key, &generator, mayFold: false),
        ]
        subsection = key
    }

    /// Returns the request for the library.
    func request() throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(
            entityName: entityName, predicate: try condition?.predicate(),
            sortDescriptors: terms.map(\.descriptor),
            fetchLimit: limit, fetchOffset: offset, includesPendingChanges: includesPendingChanges)
        request.displayedKeyPaths = displayed
        return request
    }

    /// The section key for the library.
    var sectionKey: SectionKey? {
        section.map { section in
            let key = SectionKey(section.expression, namedBy: sectionName?.expression)
            if let subsection { return key.subdivided(by: SectionKey(subsection.expression)) }
            return key.declaring(declaredLots.map { DeclaredSection($0) })
        }
    }

    /// The number of relationships that the list follows from a part: 1 to its shelf, 2 to the shelf's hall.
    var reach: Int {
        let keys = terms.map(\.key) + [section, sectionName, subsection].compactMap(\.self)
        let shown = displayed.filter { $0.hasPrefix("shelf") }.map { $0.count { $0 == "." } }.max() ?? 0
        return max(condition?.reach ?? 0, keys.map(\.reach).max() ?? 0, shown)
    }

    /// Whether the list reads to-many relationships.
    var readsCollections: Bool { condition?.readsCollections ?? false || isOrderedByCollections }

    /// Whether rows are ordered or grouped by values that are computed from related objects.
    var isOrderedByCollections: Bool {
        (terms.map(\.key) + [section, sectionName, subsection].compactMap(\.self)).contains(
            where: \.readsCollections)
    }

    /// Whether a view shows the tags of parts, so that each change of them is an update.
    var displaysTags: Bool { displayed.contains { $0.hasPrefix("tags") } }

    /// Whether the controller may compare all rows after each change.
    func mayBeComparedAsAWhole(in schema: WarehouseSchema) -> Bool {
        limit > 0 || offset > 0 || !schema.isOurs && readsCollections
    }
}

extension PlannedList {
    /// One section of the oracle.
    struct Group: Equatable {
        let key: StoredValue
        let name: String
        var rows: [ObjectID]
    }

    /// Returns the sections of the list over an inventory.
    func groups(of inventory: Inventory) -> [Group] {
        let around = Neighbourhood(readsCollections ? inventory : Inventory())
        let rows = inventory.records(of: entityNames).filter { part, _ in
            condition.map { $0.holds(for: part, in: inventory, around) } ?? true
        }
        let members = Dictionary(uniqueKeysWithValues: rows.map { ($0.record.id, $0.member) })
        let declared = declaredLots.map { $0.map(StoredValue.text) ?? .null }
        func rank(_ part: Record) -> Int {
            declared.firstIndex { $0 == section?.value(for: part, in: inventory, around) } ?? declared.count
        }
        let sorted = rows.map { part, _ in
            (part, terms.map { $0.key.value(for: part, in: inventory, around) })
        }
        .sorted { first, second in
            if !declared.isEmpty, rank(first.0) != rank(second.0) {
                return rank(first.0) < rank(second.0)
            }
            for (index, term) in terms.enumerated() {
                let sign = term.compare(first.1[index], second.1[index])
                if sign != 0 { return sign < 0 }
            }
            let memberOrder = (members[first.0.id] ?? 0, members[second.0.id] ?? 0)
            guard memberOrder.0 == memberOrder.1 else { return memberOrder.0 < memberOrder.1 }
            return first.0.id.unsavedKey < second.0.id.unsavedKey
        }
        let window = sorted.dropFirst(offset).prefix(limit == 0 ? .max : limit)
        guard let section else { return [Group(key: .null, name: "", rows: window.map(\.0.id))] }
        var groups: [Group] = []
        var lastOuter: StoredValue?
        var outerName = ""
        for (part, _) in window {
            var key = section.value(for: part, in: inventory, around)
            let outer = key
            var inner: StoredValue?
            if let subsection {
                inner = subsection.value(for: part, in: inventory, around)
                key = .text("\(key) \(inner ?? .null)")
            }
            if groups.last?.key != key {
                if outer != lastOuter || groups.isEmpty {
                    let name = (sectionName ?? section).value(for: part, in: inventory, around)
                    outerName = text(name, of: section)
                }
                let innerName = inner.map { "/" + text($0, of: subsection) } ?? ""
                groups.append(Group(key: key, name: outerName + innerName, rows: []))
            }
            lastOuter = outer
            groups[groups.count - 1].rows.append(part.id)
        }
        guard !declared.isEmpty else { return groups }
        let empty = declared.map { Group(key: $0, name: text($0, of: section), rows: []) }
        return empty.map { group in groups.first { $0.key == group.key } ?? group }
            + groups.filter { !declared.contains($0.key) }
    }

    private func text(_ name: StoredValue, of key: Key?) -> String {
        switch (name, key) {
        case (.text(let text), _): return text
        case (.integer(let number), .quarter): return "\(number / 10)-Q\(number % 10)"
        case (.integer(let number), .decade): return "\(number)s"
        case (.integer(let number), .range): return "\(number) to \(number + 4)"
        case (.integer(let number), .month):
            let month = number % 100
            return "\(number / 100)-\(month < 10 ? "0" : "")\(month)"
        case (.integer(let number), _): return "\(number)"
        default: return ""
        }
    }

    /// Returns everything that a row shows of the values that the list reads.
    func content(_ part: Record, in inventory: Inventory) -> RowContent {
        RowContent(
            part: part, shelf: reach > 0 ? inventory.shelf(of: part) : nil,
            hall: reach > 1 ? inventory.hall(of: part) : nil,
            words: displaysTags ? inventory.words[part.id] ?? [] : [])
    }
}

extension Set<String> {
    /// Returns some names of attributes of parts, and of the related objects that a list reads.
    fileprivate static func random(_ generator: inout SeededGenerator, reach: Int) -> Self {
        var names = WarehouseSchema.Field.allCases.map(\.attribute) + ["shelf", "tags"]
        if reach > 0 { names += ["shelf.name", "shelf.note"] }
        if reach > 1 { names += ["shelf.hall.name", "shelf.hall"] }
        return Set(names.shuffled(using: &generator).prefix(Int.random(in: 0..<5, using: &generator)))
    }
}

extension PlannedList: CustomStringConvertible {
    /// The list in words, for the message of a failure.
    var description: String {
        let order = terms.map {
            "\($0.key)\($0.isAscending ? "" : " descending") \($0.order.name) nulls \($0.nulls.rawValue)"
        }
        return """
            \(entityName)\(condition.map { ", where \($0)" } ?? ""), by \(order.joined(separator: "; ")), \
            sections \(section.map { "\($0)" } ?? "none")\(subsection.map { " and \($0)" } ?? "")\(sectionName.map { " called \($0)" } ?? "")\
            \(declaredLots.isEmpty ? "" : " declared \(declaredLots.map { $0 ?? "nil" })"), \
            rows \(offset)…\(limit == 0 ? "" : "\(offset + limit)"), \(includesPendingChanges ? "with" : "without") unsaved changes\
            \(displayed.isEmpty ? "" : ", showing \(displayed.joined(separator: " "))")\
            \(reported.map { ", reporting \($0.sorted().joined(separator: " "))" } ?? "")
            """
    }
}

extension TextOrder {
    fileprivate var name: String {
        let localized = TextOrder.localized(Locale(identifier: "en"))
        return self == .binary
            ? "binary"
            : self == .caseInsensitive ? "caseInsensitive" : self == localized ? "localized" : "indexed"
    }
}
