import Foundation
import ObjectStorage
import CheckSupport

extension ManagedObjectContext {
    /// Makes one random change to the works and authors that this context shows: an insertion, a new value, a
    /// new relationship or a deletion.
    ///
    /// - Parameter step: A number that makes the names of new objects unique.
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
    /// The work's title and the values that random changes affect, as text.
    var content: String {
        "\(title) \(pages) \(author?.name ?? "-") \(cover.map { "\($0.count) of \($0[0])" } ?? "-")"
    }
}
