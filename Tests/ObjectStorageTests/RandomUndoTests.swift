import Foundation
import ObjectStorage
import Testing
import TestSupport

@Suite struct `Undo at random` {
    /// Works and authors with their relationships, by labels that no undo changes.
    private func content(_ container: PersistentContainer) throws -> [String] {
        let context = container.newContext()
        let works = try context.fetch(FetchRequest<Work>()).map(\.content)
        return (works + (try context.fetch(FetchRequest<Author>()).map(\.name))).sorted()
    }

    @Test(arguments: 0..<6)
    func `undoing everything gives the beginning and redoing everything the end`(round: Int) throws {
        var generator = SeededGenerator(seed: SeededGenerator.newSeed() + UInt64(round))
        let library = try Library()
        let context = library.container.newContext()
        for step in 0..<20 { try context.changeAtRandom(step: step - 20, &generator) }
        try context.save()
        let beginning = try content(library.container)
        let undoManager = ManagedObjectContext.UndoManager()
        context.undoManager = undoManager
        for step in 1..<60 {
            try context.changeAtRandom(step: step, &generator)
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
