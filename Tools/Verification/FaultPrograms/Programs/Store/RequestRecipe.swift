import Foundation
import SectionedFetch
import CheckSupport

/// A request as plain numbers. Two recipes are equal exactly if their requests are.
struct RequestRecipe: Hashable {
    /// A key to sort or group by.
    struct Key: Hashable {
        enum Function: Int, CaseIterable {
            case value, firstLetter, year, month, indexLetter, foldedText, day, week, quarter, decade
            case steps, bounds
        }
        var function = Function.value
        /// The index of the key path, for values and functions of texts.
        var path = 0
        /// The index of the locale, for letters.
        var locale = 0
        var areMarksApart = false
        /// The index of the time zone, for functions of dates.
        var timeZone = 0
        /// The index of the step or the bounds, for ranges.
        var ranges = 0
    }

    struct Term: Hashable {
        var key = Key()
        var isAscending = true
        /// The index of the text order, for `value`.
        var order = 0
        var nulls = 0
    }

    struct Comparison: Hashable {
        var path = 0
        var relation = 0
        var constant = 0
        var ignoresCase = false
        var ignoresMarks = false
        var isNegated = false
    }

    var comparisons: [Comparison] = []
    /// Whether two or more comparisons are joined by AND, not by OR.
    var isConjunction = true
    var terms = [Term()]
    var limit = 0
    var offset = 0
    var section: Key?
    var sectionName: Key?
    /// The numbers of the declared sections; only if the section key is a path.
    var declared: [Int] = []
    var isOfSongs = true

    private static let paths = ["title", "genre", "singer.name"]
    private static let locales = ["en", "de", "sv"]
    private static let timeZones = ["UTC", "Asia/Tokyo", "America/Lima"]
    private static let orders: [TextOrder] =
        [.binary, .caseInsensitive] + locales.map { .localized(Locale(identifier: $0)) }
        + locales.map { .indexed(Locale(identifier: $0)) }
    private static let steps: [Decimal] = [1, 10, 2.5]
    private static let bounds: [[Decimal]] = [[10], [10, 20], [20], [1, 0, 20]]
    private static let nullOrders: [NullOrder] = [.smallest, .first, .last]
    private static let relations: [PredicateTree.Relation] = [
        .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .beginsWith,
        .contains, .endsWith, .like,
    ]

    init(using generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 0...30, using: &generator) { mutate(using: &generator) }
    }

    // MARK: The request

    func request() -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(
            entityName: isOfSongs ? "Song" : "Single", fetchLimit: limit, fetchOffset: offset)
        if !comparisons.isEmpty {
            let parts = comparisons.map(Self.tree)
            request.predicate = .init(isConjunction ? .conjunction(parts) : .disjunction(parts))
        }
        request.sortDescriptors = terms.map { term in
            let key = Self.expression(term.key)
            let order = Self.orders[term.order]
            let nulls = Self.nullOrders[term.nulls]
            return term.isAscending
                ? .ascending(key, order: order, nulls: nulls) : .descending(key, order: order, nulls: nulls)
        }
        return request
    }

    var sectionKey: SectionKey? {
        section.map { key in
            let sectionKey = SectionKey(Self.expression(key), namedBy: sectionName.map(Self.expression))
            return declared.isEmpty
                ? sectionKey
                : sectionKey.declaring(
                    declared.map { DeclaredSection("section \($0 / 2)", name: $0 % 2 == 0 ? nil : "name") })
        }
    }

    private static func tree(_ comparison: Comparison) -> PredicateTree {
        var options: PredicateTree.TextOptions = []
        if comparison.ignoresCase { options.insert(.ignoringCase) }
        if comparison.ignoresMarks { options.insert(.ignoringDiacritics) }
        let tree = PredicateTree.comparison(
            .path(paths[comparison.path]), relations[comparison.relation],
            .value(.text("constant \(comparison.constant)")), options: options)
        return comparison.isNegated ? .not(tree) : tree
    }

    private static func expression(_ key: Key) -> KeyExpression {
        let timeZone = TimeZone(identifier: timeZones[key.timeZone]) ?? .gmt
        return switch key.function {
        case .value: .path(paths[key.path])
        case .firstLetter:
            .firstLetter(
                of: paths[key.path], in: Locale(identifier: locales[key.locale]),
                diacritics: key.areMarksApart ? .apart : .together)
        case .year: .year(of: "released", in: timeZone)
        case .month: .month(of: "released", in: timeZone)
        case .indexLetter:
            .indexLetter(of: paths[key.path], in: Locale(identifier: locales[key.locale]))
        case .foldedText: .foldedText(of: paths[key.path])
        case .day: .day(of: "released", in: timeZone)
        case .week: .week(of: "released", in: timeZone)
        case .quarter: .quarter(of: "released", in: timeZone)
        case .decade: .decade(of: "released", in: timeZone)
        case .steps: .range(of: "year", step: steps[key.ranges])
        case .bounds: .range(of: "year", bounds: bounds[key.ranges])
        }
    }

    // MARK: One step

    /// Changes one field by one step, which may have no effect.
    mutating func mutate(using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<16, using: &generator) {
        case 0: limit += Bool.random(using: &generator) || limit == 0 ? 1 : -1
        case 1: offset += Bool.random(using: &generator) || offset == 0 ? 1 : -1
        case 2: section = section == nil ? Key() : nil
        case 3: Self.mutate(&section, using: &generator)
        case 4: sectionName = sectionName == nil && section != nil ? Key() : nil
        case 5: Self.mutate(&sectionName, using: &generator)
        case 6:
            let number = Int.random(in: 0..<8, using: &generator)
            if declared.allSatisfy({ $0 / 2 != number / 2 }) {
                declared.append(number)
            } else {
                declared.removeLast()
            }
        case 7: declared.swapAny(using: &generator)
        case 8: if terms.count < 4 { terms.append(Term()) } else { terms.removeLast() }
        case 9: terms.swapAny(using: &generator)
        case 10, 11:
            Self.mutate(&terms[Int.random(in: 0..<terms.count, using: &generator)], using: &generator)
        case 12:
            if comparisons.count < 4 { comparisons.append(Comparison()) } else { comparisons.removeLast() }
        case 13: isConjunction.toggle()
        case 14: isOfSongs.toggle()
        default:
            guard let position = comparisons.indices.randomElement(using: &generator) else { return }
            Self.mutate(&comparisons[position], using: &generator)
        }
        // Fields without effect have fixed values, so that equal requests are equal recipes.
        if section == nil { sectionName = nil }
        if section?.function != .value { declared = [] }
        if comparisons.count < 2 { isConjunction = true }
        for position in terms.indices where terms[position].key.function != .value {
            terms[position].order = 0
        }
    }

    private static func mutate(_ key: inout Key?, using generator: inout SeededGenerator) {
        guard var changed = key else { return }
        if Int.random(in: 0..<3, using: &generator) == 0 {
            changed = Key(function: Key.Function.allCases.randomElement(using: &generator) ?? .value)
        } else {
            switch changed.function {
            case .value, .foldedText: changed.path = (changed.path + 1) % paths.count
            case .year, .month, .day, .week, .quarter, .decade:
                changed.timeZone = (changed.timeZone + 1) % timeZones.count
            case .steps: changed.ranges = (changed.ranges + 1) % steps.count
            case .bounds: changed.ranges = (changed.ranges + 1) % bounds.count
            case .indexLetter:
                if Bool.random(using: &generator) {
                    changed.path = (changed.path + 1) % paths.count
                } else {
                    changed.locale = (changed.locale + 1) % locales.count
                }
            case .firstLetter:
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: changed.path = (changed.path + 1) % paths.count
                case 1: changed.locale = (changed.locale + 1) % locales.count
                default: changed.areMarksApart.toggle()
                }
            }
        }
        key = changed
    }

    private static func mutate(_ term: inout Term, using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: term.isAscending.toggle()
        case 1: term.nulls = (term.nulls + 1) % nullOrders.count
        case 2: term.order = (term.order + 1) % orders.count
        default:
            var key: Key? = term.key
            mutate(&key, using: &generator)
            term.key = key ?? term.key
        }
    }

    private static func mutate(_ comparison: inout Comparison, using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: comparison.path = (comparison.path + 1) % paths.count
        case 1: comparison.relation = (comparison.relation + 1) % relations.count
        case 2: comparison.constant += 1
        case 3: comparison.ignoresCase.toggle()
        case 4: comparison.ignoresMarks.toggle()
        default: comparison.isNegated.toggle()
        }
    }
}

extension Array {
    /// Swaps a random element with the next one.
    fileprivate mutating func swapAny(using generator: inout SeededGenerator) {
        guard count > 1 else { return }
        let position = Int.random(in: 0..<count - 1, using: &generator)
        swapAt(position, position + 1)
    }
}
