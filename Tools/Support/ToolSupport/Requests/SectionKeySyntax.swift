import Foundation
import SectionedFetch

/// The keys of sections and subsections, as they are written on the command line.
struct SectionKeySyntax {
    /// The keys that are combined, or one key.
    let groups: [SectionKey]
    /// The key of subsections, or nil for sections of one level.
    let subgroup: SectionKey?

    /// Reads the keys and the names by which sections and subsections are listed; nil without a key.
    ///
    /// - Throws: ``SyntaxFailure`` that names the invalid part.
    init?(
        groupBy: String?, nameBy: String?, subgroupBy: String?, subgroupNameBy: String?,
        _ properties: PropertyNames = .none
    ) throws(SyntaxFailure) {
        guard let groupBy else {
            if nameBy != nil { throw SyntaxFailure("--name-by needs --group-by.") }
            if subgroupBy != nil { throw SyntaxFailure("--subgroup-by needs --group-by.") }
            if subgroupNameBy != nil { throw SyntaxFailure("--subgroup-name-by needs --subgroup-by.") }
            return nil
        }
        let keys = try KeySyntax.expressions(groupBy, properties)
        let names = nameBy.map { PropertyNames.split($0, at: ",") } ?? keys.map { _ in "" }
        guard names.count == keys.count else {
            throw SyntaxFailure(
                "--name-by has \(Quantity.count(names.count, "key")), and --group-by has \(Quantity.count(keys.count)). Pass one name for each key; an empty one means the key itself."
            )
        }
        var groups: [SectionKey] = []
        for (key, name) in zip(keys, names) { groups.append(try Self.key(key, namedBy: name, properties)) }
        self.groups = groups
        guard let subgroupBy else {
            if subgroupNameBy != nil { throw SyntaxFailure("--subgroup-name-by needs --subgroup-by.") }
            subgroup = nil
            return
        }
        let subkeys = try KeySyntax.expressions(subgroupBy, properties)
        guard keys.count == 1, subkeys.count == 1 else {
            throw SyntaxFailure(
                "Sections with subsections have one key each. Pass one key with --group-by and one with --subgroup-by."
            )
        }
        subgroup = try Self.key(subkeys[0], namedBy: subgroupNameBy ?? "", properties)
    }

    private static func key(
        _ expression: KeyExpression, namedBy text: String, _ properties: PropertyNames
    ) throws(SyntaxFailure) -> SectionKey {
        guard text.isEmpty else {
            return SectionKey(expression, namedBy: try KeySyntax.expression(text, properties))
        }
        guard expression.function == .foldedText else { return SectionKey(expression) }
        return SectionKey(expression, namedBy: .path(expression.path))
    }

    /// The key of the sections.
    var sectionKey: SectionKey {
        let key = groups.count == 1 ? groups[0] : SectionKey.combined(groups)
        return subgroup.map { key.subdivided(by: $0) } ?? key
    }

    /// All single keys, sections before subsections.
    private var keys: [SectionKey] { groups + [subgroup].compactMap(\.self) }

    /// The expressions of all keys and of their names.
    var expressions: [KeyExpression] {
        keys.flatMap { [$0.expression, $0.nameExpression].compactMap(\.self) }
    }

    /// The default order of a list: by each key in turn.
    var order: [FetchRequest<ManagedObject>.SortDescriptor] {
        let last = keys.count - 1
        return keys.enumerated().flatMap { position, key in
            position == last ? Self.order(of: key) : Self.groupOrder(of: key)
        }
    }

    /// Returns an order in which the rows of a section are adjacent, in the order of their names and texts.
    private static func order(of key: SectionKey) -> [FetchRequest<ManagedObject>.SortDescriptor] {
        let (group, name) = (key.expression, key.nameExpression)
        // Names that need not agree with the key sort second.
        let keys = nameSortsFirst(of: key) ? [name, group] : [group, name]
        return keys.compactMap(\.self).flatMap { key -> [FetchRequest<ManagedObject>.SortDescriptor] in
            switch key.function {
            case .range: return [.ascending(.path(key.path))]
            case .indexLetter(let locale):
                return [.ascending(.path(key.path), order: .indexed(Locale(identifier: locale)))]
            case .firstLetter(let locale, let diacritics):
                let order = TextOrder.localized(Locale(identifier: locale))
                let byText = FetchRequest<ManagedObject>.SortDescriptor.ascending(
                    .path(key.path), order: order)
                return diacritics == .apart ? [.ascending(key, order: order), byText] : [byText]
            default: return [.ascending(key)]
            }
        }
    }

    /// Returns an order in which the rows of a section are adjacent and all equal, so that other keys can
    /// follow.
    private static func groupOrder(of key: SectionKey) -> [FetchRequest<ManagedObject>.SortDescriptor] {
        let keys = nameSortsFirst(of: key) ? [key.nameExpression, key.expression] : [key.expression]
        return keys.compactMap(\.self).map { key in
            // Letters have the order of the alphabet from which they are taken.
            switch key.function {
            case .firstLetter(let locale, _):
                .ascending(key, order: .localized(Locale(identifier: locale)))
            case .indexLetter(let locale): .ascending(key, order: .indexed(Locale(identifier: locale)))
            default: .ascending(key)
            }
        }
    }

    /// Whether the name belongs to the object of the key, as in artists by their names. The name then sorts
    /// first, and the key separates objects of one name.
    private static func nameSortsFirst(of key: SectionKey) -> Bool {
        key.nameExpression.map { $0.path.hasPrefix(key.expression.path + ".") } ?? false
    }
}
