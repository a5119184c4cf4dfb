import Foundation
import ObjectStorage
import CheckSupport
import Testing

/// Undoes and redoes in the middle of random histories, with saves at any step, and compares the contents
/// after each step.
@Suite struct RandomUndoStepTests {
    /// A history in which each change is an undo group, with the contents before and after each group by its
    /// name.
    private struct History {
        let model: RandomModel
        let seed: UInt64
        let library: Library
        let context: ManagedObjectContext
        let undoManager = ManagedObjectContext.UndoManager()
        var generator: SeededGenerator
        private var before: [String: [String]] = [:]
        private var after: [String: [String]] = [:]

        init(of model: RandomModel, seed: UInt64) throws {
            (self.model, self.seed) = (model, seed)
            generator = SeededGenerator(seed: seed)
            library = try Library(model: model.model())
            context = library.container.newContext()
            for step in 0..<20 { try model.change(context, step - 20, &generator) }
            try context.save()
            context.undoManager = undoManager
        }

        mutating func change(_ step: Int) throws {
            let name = "\(step)"
            before[name] = try model.content(context)
            undoManager.beginUndoGrouping()
            try model.change(context, step, &generator)
            try context.processPendingChanges()
            undoManager.setActionName(name)
            undoManager.endUndoGrouping()
            after[name] = try model.content(context)
        }

        mutating func undo() throws {
            let name = undoManager.undoActionName ?? ""
            try context.undo()
            #expect(try model.content(context) == before[name], "seed \(seed), undo of \(name)")
            try save(onceIn: 3)
        }

        mutating func redo() throws {
            let name = undoManager.redoActionName ?? ""
            try context.redo()
            #expect(try model.content(context) == after[name], "seed \(seed), redo of \(name)")
            try save(onceIn: 3)
        }

        /// Saves in one of `number` calls, and checks that the contents stay the same in the context and the
        /// store.
        mutating func save(onceIn number: Int) throws {
            guard Int.random(in: 0..<number, using: &generator) == 0 else { return }
            let shown = try model.content(context)
            try context.save()
            #expect(try model.content(context) == shown, "seed \(seed)")
            #expect(try model.content(library.container.newContext()) == shown, "seed \(seed)")
        }
    }

    @Test(arguments: RandomModel.all, 0..<4)
    func `each undo and redo restores the contents before and after its change`(
        of model: RandomModel, round: Int
    ) throws {
        var history = try History(of: model, seed: SeededGenerator.newSeed() + UInt64(round))
        for step in 1..<40 {
            try history.change(step)
            try history.save(onceIn: 6)
            while Int.random(in: 0..<3, using: &history.generator) == 0, history.undoManager.canUndo {
                try history.undo()
            }
            while Int.random(in: 0..<3, using: &history.generator) == 0, history.undoManager.canRedo {
                try history.redo()
            }
        }
        for _ in 0..<2 {
            while history.undoManager.canUndo { try history.undo() }
            while history.undoManager.canRedo { try history.redo() }
        }
    }
}
