import Foundation
import ObjectStorage
import Testing
import CheckSupport

@Suite struct RandomUndoTests {
    @Test(arguments: RandomModel.all, 0..<6)
    func `undoing everything restores the first contents, and redoing everything the last`(
        of model: RandomModel, round: Int
    ) throws {
        var generator = SeededGenerator(seed: SeededGenerator.newSeed() + UInt64(round))
        let library = try Library(model: model.model())
        let content = { try model.content(library.container.newContext()) }
        let context = library.container.newContext()
        for step in 0..<20 { try model.change(context, step - 20, &generator) }
        try context.save()
        let beginning = try content()
        let undoManager = ManagedObjectContext.UndoManager()
        context.undoManager = undoManager
        for step in 1..<60 {
            try model.change(context, step, &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: try context.save()
            case 1...2: try context.processPendingChanges()
            case 3: if undoManager.canUndo { try context.undo() }
            default: break
            }
        }
        // After a new change, changes that were undone cannot be redone.
        try model.addOne(context)
        try context.save()
        let end = try content()
        for _ in 0..<2 {
            while undoManager.canUndo { try context.undo() }
            try context.save()
            #expect(try content() == beginning)
            #expect(try model.isTidy(library))
            while undoManager.canRedo { try context.redo() }
            try context.save()
            #expect(try content() == end)
        }
    }
}
