/// Options for saving objects to a Core Data store.
///
/// ```swift
/// var options = StoreOptions()
/// options.coreDataWriting = .withCopy
/// ```
public struct CoreDataWriting: Hashable, Sendable {
    /// Whether the store and the files of its large values are copied before the first save of a container.
    /// The copy is beside the store, and its name ends with the date.
    public var makesCopy: Bool
    /// The author that the store's history of changes records, like `transactionAuthor` of Core Data's
    /// contexts; nil for none. A store without a history does not record it.
    public var author: String?

    /// Creates options for saving.
    ///
    /// - Parameters:
    ///   - makesCopy: Whether the store is copied before the first save.
    ///   - author: The author in the store's history of changes.
    public init(makesCopy: Bool = true, author: String? = nil) {
        self.makesCopy = makesCopy
        self.author = author
    }

    /// Saves, with a copy of the store before the first save.
    public static let withCopy = CoreDataWriting()
    /// Saves, without a copy of the store.
    public static let withoutCopy = CoreDataWriting(makesCopy: false)
}
