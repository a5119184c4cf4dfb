import Foundation
import ObjectStorage
import CheckSupport

extension ManagedObjectContext {
    /// Does one thing to works and authors that this context shows: inserts, changes, leads elsewhere or
    /// deletes.
    ///
    /// - Parameter step: A number for the names of what is new, so that they differ.
    func changeWorksAtRandom(step: Int, _ generator: inout SeededGenerator) throws {
        let works = try fetch(FetchRequest<Work>(sortDescriptors: [.ascending(\.title)]))
        let authors = try fetch(FetchRequest<Author>(sortDescriptors: [.ascending(\.name)]))
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...1:
            let work = Work(context: self)
            work.title = "w\(step)"
            work.author = authors.randomElement(using: &generator)
        case 2: Author(context: self).name = "a\(step)"
        case 3...4: works.randomElement(using: &generator)?.pages = Int16(step)
        case 5: works.randomElement(using: &generator)?.author = authors.randomElement(using: &generator)
        case 6: if let work = works.randomElement(using: &generator) { delete(work) }
        case 7: if let author = authors.randomElement(using: &generator) { delete(author) }
        case 8:
            works.randomElement(using: &generator)?.cover =
                Bool.random(using: &generator) ? .cover(&generator) : nil
        default: works.randomElement(using: &generator)?.cover = works.randomElement(using: &generator)?.cover
        }
    }
}

extension Work {
    /// What tells it apart and what can change, in words.
    var content: String {
        "\(title) \(pages) \(author?.name ?? "-") \(cover.map { "\($0.count) of \($0[0])" } ?? "-")"
    }
}
