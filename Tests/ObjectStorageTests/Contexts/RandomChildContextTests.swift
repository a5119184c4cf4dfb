import Foundation
import ObjectStorage
import Testing
import CheckSupport

/// What a child shows is what its parent shows after the child's save, and the store after the parent's.
@Suite struct `Child contexts at random` {
    @Test(arguments: RandomModel.all, 0..<6)
    func `each save hands on just what was shown`(of model: RandomModel, round: Int) throws {
        var generator = SeededGenerator(seed: SeededGenerator.newSeed() + UInt64(round))
        let library = try Library(model: model.model())
        let parent = library.container.newContext()
        let middle = parent.newChildContext()
        let child = middle.newChildContext()
        let family = [child, middle, parent]
        for step in 0..<60 {
            // The nearest to the store first: what it changes later is not in objects that another read
            // already.
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
