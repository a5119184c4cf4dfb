import Foundation
import ObjectStorage
import CheckSupport
import Testing

/// A model, random changes of its objects, and their contents as text, which is the same in every context.
struct RandomModel: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let model: @Sendable () throws -> ManagedObjectModel
    /// Makes one random change to the objects that the context shows; the number makes new names unique.
    let change: @Sendable (ManagedObjectContext, Int, inout SeededGenerator) throws -> Void
    let addOne: @Sendable (ManagedObjectContext) throws -> Void
    let content: @Sendable (ManagedObjectContext) throws -> [String]
    /// Whether the file has no data without an object, as another program sees it.
    let isTidy: @Sendable (Library) throws -> Bool

    static let all = [works, links]

    static let works = RandomModel(
        testDescription: "works and their authors", model: Library.model,
        change: { try $0.changeWorksAtRandom(step: $1, &$2) },
        addOne: { Author(context: $0).name = "last" },
        content: { context in
            let works = try context.fetch(FetchRequest<Work>()).map(\.content)
            let authors = try context.fetch(FetchRequest<Author>()).map {
                "\($0.name): \($0.works.map(\.title).sorted().joined(separator: ","))"
            }
            return (works + authors).sorted()
        },
        isTidy: { try $0.keepsCoversOnce() })

    static let links = RandomModel(
        testDescription: "songs with links of every kind", model: LinkModel.model,
        change: { try $0.changeLinksAtRandom(step: $1, &$2) },
        addOne: { LinkModel.Song(context: $0).title = "last" },
        content: LinkModel.content, isTidy: { try $0.hasNoLooseLinks() })
}
