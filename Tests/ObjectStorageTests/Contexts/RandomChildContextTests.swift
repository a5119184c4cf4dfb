import Foundation
import ObjectStorage
import Testing
import CheckSupport

/// Checks that a child's save gives its parent the objects that the child shows, and that the parent's save
/// gives them to the store.
@Suite struct RandomChildContextTests {
    @Test(arguments: RandomModel.all, 0..<6)
    func `each save passes on exactly the objects that the saving context shows`(
        of model: RandomModel, round: Int
    ) throws {
        var generator = SeededGenerator(seed: SeededGenerator.newSeed() + UInt64(round))
        let library = try Library(model: model.model())
        let parent = library.container.newContext()
        let middle = parent.newChildContext()
        let child = middle.newChildContext()
        let family = [child, middle, parent]
        for step in 0..<60 {
            // The descendants of the acting context save before it changes objects and refresh afterwards,
            // because objects that they have already read do not show its later changes.
            let acting = Int.random(in: 0..<3, using: &generator)
            for context in family[..<acting] { try context.save() }
            try model.change(family[acting], step, &generator)
            for context in family[..<acting] { context.refreshAllObjects() }
            guard step % 3 == 0 else { continue }
            let shown = try model.content(child)
            try child.save()
            #expect(try model.content(child) == shown)
            #expect(try model.content(middle) == shown)
            try middle.save()
            #expect(try model.content(parent) == shown)
            guard step % 2 == 0 else { continue }
            try parent.save()
            for context in family { #expect(try model.content(context) == shown) }
            #expect(try model.content(library.container.newContext()) == shown)
            #expect(try model.isTidy(library))
        }
    }
}
