import Foundation
import ObjectStorage
import Testing
import TestSupport

@Suite struct `Undo at random` {
    /// Works and authors with their relationships, by labels that no undo changes.
    private func content(_ container: PersistentContainer) throws -> [String] {
        let context = container.newContext()
        let works = try context.fetch(FetchRequest<Work>()).map {
            "\($0.title) \($0.pages) \($0.author?.name ?? "-") \($0.cover.map { "\($0.count) of \($0[0])" } ?? "-")"
        }
        return (works + (try context.fetch(FetchRequest<Author>()).map(\.name))).sorted()
    }

    private func change(
        _ context: ManagedObjectContext, step: Int, _ generator: inout SeededGenerator
    ) throws {
        let works = try context.fetch(FetchRequest<Work>(sortDescriptors: [.ascending(\.title)]))
        let authors = try context.fetch(FetchRequest<Author>(sortDescriptors: [.ascending(\.name)]))
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...1:
            let work = Work(context: context)
            work.title = "w\(step)"
            work.author = authors.randomElement(using: &generator)
        case 2: Author(context: context).name = "a\(step)"
        case 3...4: works.randomElement(using: &generator)?.pages = Int16(step)
        case 5: works.randomElement(using: &generator)?.author = authors.randomElement(using: &generator)
        case 8:
            works.randomElement(using: &generator)?.cover =
                Bool.random(using: &generator) ? .cover(&generator) : nil
        case 9: works.randomElement(using: &generator)?.cover = works.randomElement(using: &generator)?.cover
        case 6: if let work = works.randomElement(using: &generator) { context.delete(work) }
        default: if let author = authors.randomElement(using: &generator) { context.delete(author) }
        }
    }

    @Test(arguments: 0..<6)
    func `undoing everything gives the beginning and redoing everything the end`(round: Int) throws {
        var generator = SeededGenerator(seed: SeededGenerator.newSeed() + UInt64(round))
        let library = try Library()
        let context = library.container.newContext()
        for step in 0..<20 { try change(context, step: step - 20, &generator) }
        try context.save()
        let beginning = try content(library.container)
        let undoManager = ManagedObjectContext.UndoManager()
        context.undoManager = undoManager
        for step in 1..<60 {
            try change(context, step: step, &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: try context.save()
            case 1...2: try context.processPendingChanges()
            case 3: if undoManager.canUndo { try context.undo() }
            default: break
            }
        }
        // After a change nothing can be redone that was undone before.
        Author(context: context).name = "last"
        try context.save()
        let end = try content(library.container)
        for _ in 0..<2 {
            while undoManager.canUndo { try context.undo() }
            try context.save()
            #expect(try content(library.container) == beginning)
            #expect(try library.keepsCoversOnce())
            while undoManager.canRedo { try context.redo() }
            try context.save()
            #expect(try content(library.container) == end)
        }
    }
}
