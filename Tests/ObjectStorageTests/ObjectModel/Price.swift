import Foundation
import ObjectStorage

/// An entity with a decimal.
final class Price: ManagedObject {
    @Attribute var amount: Decimal?
    @Attribute var count: Int64 = 0
    @Relationship(inverse: \Price.children) var parent: Price?
    @Relationship var children: Set<Price>
}
