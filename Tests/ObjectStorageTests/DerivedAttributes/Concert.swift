import CheckSupport
import Foundation
import ObjectStorage

/// Classes with derived attributes of every kind.
final class Composer: ManagedObject {
    @Attribute var name: String?
    @Attribute(details: .init(derivation: "opera.@count")) var operaCount: Int64 = 0
    @Attribute(details: .init(derivation: "opera.@sum.length")) var totalLength: Int64 = 0
    @Attribute(details: .init(derivation: "opera.@max.length")) var longest: Int32?
    @Attribute(details: .init(derivation: "opera.@min.length")) var shortest: Int32?
    @Attribute(details: .init(derivation: "opera.@avg.length")) var meanLength: Double?
    @Attribute(details: .init(derivation: "opera.@sum.price")) var totalPrice: Decimal?
    @Attribute(details: .init(derivation: "now()")) var changed: Date?
    @Relationship(inverse: \Nation.composers) var nation: Nation?
    @Relationship var opera: Set<Opus>
    /// A one-way relationship, whose links have a separate table.
    @Relationship var favourites: Set<Theme>
    @Attribute(details: .init(derivation: "favourites.@count")) var favouriteCount: Int16 = 0
}

final class Nation: ManagedObject {
    @Attribute var name: String?
    @Relationship var composers: Set<Composer>
}

class Opus: ManagedObject {
    @Attribute var title: String?
    @Attribute var length: Int32 = 0
    @Attribute var price: Decimal?
    @Attribute(.indexed, details: .init(derivation: "canonical:(title)")) var searchTitle: String?
    @Attribute(details: .init(derivation: "uppercase:(title)")) var loudTitle: String?
    @Attribute(details: .init(derivation: "composer.name")) var composerName: String?
    @Attribute(details: .init(derivation: "lowercase:(composer.nation.name)")) var nationName: String?
    @Attribute(details: .init(derivation: "themes.@count")) var themeCount: Int64 = 0
    @Attribute(details: .init(derivation: "themes.@sum.weight")) var themeWeight: Double = 0
    @Relationship(inverse: \Composer.opera) var composer: Composer?
    @Relationship(inverse: \Theme.opera) var themes: Set<Theme>
}

final class Symphony: Opus {
    @Attribute var number: Int32 = 0
    @Attribute(details: .init(derivation: "movements.@count")) var movementCount: Int64 = 0
    @Relationship var movements: [Movement]
}

final class Movement: ManagedObject {
    @Attribute var tempo: String?
    @Relationship(inverse: \Symphony.movements) var symphony: Symphony?
}

final class Theme: ManagedObject {
    @Attribute var weight: Double = 0
    @Relationship var opera: Set<Opus>
    /// Its own inverse.
    @Relationship(inverseNamed: "related") var related: Set<Theme>
    @Attribute(details: .init(derivation: "related.@count")) var relatedCount: Int64 = 0
    @Attribute(details: .init(derivation: "related.@max.weight")) var heaviest: Double?
    @Relationship(inverse: \Theme.variations) var origin: Theme?
    @Relationship var variations: Set<Theme>
    @Attribute(details: .init(derivation: "variations.@count")) var variationCount: Int64 = 0
    @Attribute(details: .init(derivation: "origin.origin.weight")) var weightOfRoot: Double?
}

/// A store of composers and their works in a temporary directory.
struct Concert {
    let directory = try! TemporaryDirectory()
    let container: PersistentContainer
    var path: String { directory.file("concert.sqlite").path }

    init() throws {
        container = try PersistentContainer(url: directory.file("concert.sqlite"), model: Self.model())
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            types: Composer.self, Nation.self, Opus.self, Symphony.self, Movement.self, Theme.self)
    }

    /// Returns the differences between the stored derived values and those that are computed from the objects
    /// of a new context.
    func differences() throws -> [String] {
        try Self.differences(in: container.newContext())
    }

    /// Returns the differences between the derived values that objects show and those that are computed from
    /// their other values.
    static func differences(in context: ManagedObjectContext) throws -> [String] {
        var found: [String] = []
        func check<Value: Equatable>(_ object: ManagedObject, _ name: String, _ stored: Value, _ naive: Value)
        {
            if stored != naive { found.append("\(object).\(name) is \(stored), not \(naive)") }
        }
        for composer in try context.fetch(FetchRequest<Composer>()) {
            let lengths = composer.opera.map(\.length)
            let prices = composer.opera.compactMap(\.price)
            check(composer, "operaCount", composer.operaCount, Int64(lengths.count))
            check(composer, "totalLength", composer.totalLength, lengths.reduce(0) { $0 + Int64($1) })
            check(composer, "longest", composer.longest, lengths.max())
            check(composer, "shortest", composer.shortest, lengths.min())
            check(
                composer, "meanLength", composer.meanLength,
                lengths.isEmpty ? nil : Double(lengths.reduce(0) { $0 + Int($1) }) / Double(lengths.count))
            check(composer, "totalPrice", composer.totalPrice, prices.reduce(Decimal(0), +))
            check(composer, "favouriteCount", composer.favouriteCount, Int16(composer.favourites.count))
            check(composer, "changed", composer.changed == nil, false)
        }
        for theme in try context.fetch(FetchRequest<Theme>()) {
            check(theme, "relatedCount", theme.relatedCount, Int64(theme.related.count))
            check(theme, "heaviest", theme.heaviest, theme.related.map(\.weight).max())
            check(theme, "variationCount", theme.variationCount, Int64(theme.variations.count))
            check(theme, "weightOfRoot", theme.weightOfRoot, theme.origin?.origin?.weight)
        }
        for opus in try context.fetch(FetchRequest<Opus>()) {
            let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive]
            check(opus, "searchTitle", opus.searchTitle, opus.title?.folding(options: options, locale: nil))
            check(opus, "loudTitle", opus.loudTitle, opus.title?.uppercased())
            check(opus, "composerName", opus.composerName, opus.composer?.name)
            check(opus, "nationName", opus.nationName, opus.composer?.nation?.name?.lowercased())
            check(opus, "themeCount", opus.themeCount, Int64(opus.themes.count))
            check(opus, "themeWeight", opus.themeWeight, opus.themes.map(\.weight).sorted().reduce(0, +))
            if let symphony = opus as? Symphony {
                check(symphony, "movementCount", symphony.movementCount, Int64(symphony.movements.count))
            }
        }
        return found
    }
}
