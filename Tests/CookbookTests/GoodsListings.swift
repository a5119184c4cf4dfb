import Foundation
import SectionedFetch

// The classes of the listings in several articles.

final class Goods: ManagedObject {
    @Attribute var name: String = ""
    @Attribute var category: Category = .fruit
    @Attribute var count: Int32 = 0
    @Attribute(.indexed) var added: Date = Date(timeIntervalSinceReferenceDate: 0)
    @Attribute var price: Decimal = 0
    @Transformable var color: Color?
    @Attribute(.externalStorage) var picture: Data?
    @Transformable(by: RectangleTransformer.self) var place: Rectangle = Rectangle(
        x: 0, y: 0, width: 1, height: 1)
    @Relationship(inverse: \Warehouse.goods) var warehouse: Warehouse?
}

final class Warehouse: ManagedObject {
    @Attribute(.unique) var name: String = ""
    @Relationship var goods: Set<Goods>
}

/// An enumeration is stored by its raw value.
enum Category: String, AttributeValue, CaseIterable { case fruit, vegetable, bread }

/// A suite whose context has goods.
protocol GoodsListings {
    var context: ManagedObjectContext { get }
}

extension GoodsListings {
    /// Returns the names of the sections of all goods.
    func names(
        _ key: SectionKey, sorted descriptor: FetchRequest<Goods>.SortDescriptor
    ) throws -> [String] {
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Goods>(sortDescriptors: [descriptor]), context: context,
            sectionNameKeyPath: key)
        try controller.performFetch()
        return controller.sections?.map(\.name) ?? []
    }
}
