import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// One call that takes over the commits of others.
@Suite struct OthersChangesTests {
    let library: Library
    let context: ManagedObjectContext
    let work: Work

    init() throws {
        library = try Library()
        context = library.container.newContext()
        work = try library.insertWork("read", in: context)
    }

    /// The origin of a commit.
    enum Writer: CaseIterable { case context, batch, program, twoPrograms, container }

    private func write(_ title: String, by writer: Writer) throws {
        switch writer {
        case .context:
            let other = library.container.newContext()
            try #require(try other.existingObject(with: work.objectID) as? Work).title = title
            try other.save()
        case .batch:
            try library.container.newContext().batchUpdate(
                FetchRequest<Work>(), set: [.set(\.title, to: title)])
        case .program: try library.runElsewhere("UPDATE Work SET title = '\(title)'")
        case .twoPrograms:
            try library.runElsewhere("UPDATE Work SET title = 'x'")
            try library.runElsewhere("UPDATE Work SET title = '\(title)'")
        case .container:
            let other = try PersistentContainer(
                url: library.directory.file("library.sqlite"), model: Library.model()
            ).newContext()
            try #require(try other.existingObject(with: work.objectID) as? Work).title = title
            try other.save()
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `the changes of every writer arrive, whether or not the store is monitored`(
        isMonitored: Bool, mergesAutomatically: Bool
    ) throws {
        let monitor = isMonitored ? library.container.monitorStore() : nil
        context.automaticallyMergesChanges = mergesAutomatically
        for round in 0..<3 {
            for (number, writer) in Writer.allCases.enumerated() {
                let title = "\(round) \(number)"
                try write(title, by: writer)
                let changes = try context.mergeOthersChanges()
                #expect(work.title == title, "\(writer)")
                #expect(changes.updatedObjectIDs.contains(work.objectID))
                // A monitor may deliver the change once more.
                guard !isMonitored, !mergesAutomatically else { continue }
                #expect(try context.mergeOthersChanges().isEmpty)
            }
        }
        withExtendedLifetime(monitor) {}
    }

    @Test func `without a commit nothing is read, even while a table is dirty`() throws {
        try context.mergeOthersChanges()
        try library.runElsewhere("UPDATE Work SET pages = 9")
        #expect(try !context.mergeOthersChanges().isEmpty && work.pages == 9)
        // The table stays dirty, because nothing stamps it.
        for _ in 0..<3 { #expect(try context.mergeOthersChanges().isEmpty) }
        #expect(try !context.mergeChangesFromStore().isEmpty)
    }

    @Test func `the context's own saves are not changes of others`() throws {
        try context.mergeOthersChanges()
        work.title = "mine"
        try context.save()
        #expect(try context.mergeOthersChanges().isEmpty)
    }

    @Test func `unsaved changes are kept, and a deletion elsewhere arrives`() throws {
        work.pages = 3
        try write("there", by: .program)
        try context.mergeOthersChanges()
        #expect(work.title == "there" && work.pages == 3)
        context.rollback()
        try library.runElsewhere("DELETE FROM Work")
        #expect(try context.mergeOthersChanges().deletedObjectIDs == [work.objectID] && work.isDeleted)
    }

    @Test func `a store in memory has the changes of other contexts`() throws {
        let container = try PersistentContainer(inMemoryWith: Library.model())
        let (context, other) = (container.newContext(), container.newContext())
        let author = Author(context: context)
        author.name = "a"
        try context.save()
        #expect(try context.mergeOthersChanges().deletedObjectIDs.isEmpty)
        try #require(try other.existingObject(with: author.objectID) as? Author).name = "b"
        try other.save()
        try context.mergeOthersChanges()
        #expect(author.name == "b")
        #expect(try context.mergeOthersChanges().isEmpty)
    }

    @Test func `a child context sees the commits of others`() throws {
        let child = context.newChildContext()
        let same = try #require(try child.existingObject(with: work.objectID) as? Work)
        try write("there", by: .program)
        try child.mergeOthersChanges()
        #expect(same.title == "there")
    }

    @Test func `a context that was pinned to an earlier state takes over later commits`() throws {
        try context.setQueryGeneration(from: .current)
        context.refreshAllObjects()
        #expect(work.title == "read")
        let earlier = context.queryGenerationToken
        try write("new", by: .program)
        try context.mergeOthersChanges()
        #expect(work.title == "new")
        try context.setQueryGeneration(from: earlier)
        context.refreshAllObjects()
        #expect(work.title == "read")
        #expect(try context.mergeOthersChanges().updatedObjectIDs.contains(work.objectID))
        #expect(work.title == "new")
        try context.setQueryGeneration(from: nil)
    }

    @Test func `a child takes over the state to which the pin of its parent moved`() throws {
        try context.setQueryGeneration(from: .current)
        let child = context.newChildContext()
        let same = try #require(try child.existingObject(with: work.objectID) as? Work)
        try write("there", by: .program)
        try child.mergeOthersChanges()
        #expect(same.title == "read")
        try context.mergeOthersChanges()
        try child.mergeOthersChanges()
        #expect(same.title == "there")
        try context.setQueryGeneration(from: nil)
    }
}
