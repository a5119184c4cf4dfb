import ObjectStorage
import CheckSupport
import Testing

/// A node of a tree; every third one is of a sub-entity.
private class TreeNode: ManagedObject {
    override class var entityName: String { "TreeNode" }
    @Attribute var number: Int64 = 0
    @Relationship(inverse: \TreeNode.children) var parent: TreeNode?
    @Relationship var children: Set<TreeNode>
    @Relationship(inverse: \TreeNode.marked) var marks: Set<TreeNode>
    @Relationship var marked: Set<TreeNode>
}

private final class SharedNode: TreeNode {
    override class var entityName: String { "SharedNode" }
    @Attribute var owner: String = "root"
    @Relationship(inverse: \SharedNode.twins) var twin: SharedNode?
    @Relationship var twins: Set<SharedNode>
}

/// The expected relationships, as plain values.
private struct Expected: Equatable {
    var parents: [Int64: Int64?] = [:]
    var twins: [Int64: Int64] = [:]
    var marks: [Int64: Set<Int64>] = [:]

    mutating func delete(_ number: Int64) {
        parents[number] = nil
        twins[number] = nil
        marks[number] = nil
        for (child, parent) in parents where parent == number { parents[child] = .some(nil) }
        for (other, twin) in twins where twin == number { twins[other] = nil }
        for other in marks.keys { marks[other]?.remove(number) }
    }
}

/// Enough objects and deletions for a context to keep an index of references.
@Suite struct ManyReferencesTests {
    private let directory = try! TemporaryDirectory()

    @Test(arguments: 0..<4)
    func `relationships agree with plain values through thousands of deletions`(round: Int) throws {
        var generator = SeededGenerator(seed: SeededGenerator.newSeed() + UInt64(round))
        let container = try PersistentContainer(
            url: directory.file("nodes.sqlite"),
            model: ManagedObjectModel(types: TreeNode.self, SharedNode.self))
        let context = container.newContext()
        if round % 2 == 1 { context.undoManager = ManagedObjectContext.UndoManager() }
        var expected = Expected()
        var saved = expected
        var nodes: [Int64: TreeNode] = [:]
        var last: Int64 = 0

        func insert() throws {
            last += 1
            let node =
                last % 3 == 0 ? try context.insert(SharedNode.self) : try context.insert(TreeNode.self)
            node.number = last
            expected.parents[last] = .some(nil)
            nodes[last] = node
        }
        func any() -> Int64? { expected.parents.keys.sorted().randomElement(using: &generator) }
        func check(_ number: Int64) throws {
            let node = try #require(nodes[number])
            #expect(node.parent?.number == expected.parents[number] ?? nil)
            #expect(
                Set(node.children.map(\.number))
                    == Set(expected.parents.lazy.filter { $0.value == number }.map(\.key)))
            #expect(Set(node.marks.map(\.number)) == expected.marks[number] ?? [])
            #expect(
                Set(node.marked.map(\.number))
                    == Set(expected.marks.lazy.filter { $0.value.contains(number) }.map(\.key)))
            guard let shared = node as? SharedNode else { return }
            #expect(shared.twin?.number == expected.twins[number])
            #expect(
                Set(shared.twins.map(\.number))
                    == Set(expected.twins.lazy.filter { $0.value == number }.map(\.key)))
        }

        for _ in 0..<400 { try insert() }
        for step in 0..<1_500 {
            guard let number = any(), let other = any(), let node = nodes[number] else { continue }
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<3: try insert()
            case 3..<9:
                node.parent = nodes[other]
                expected.parents[number] = .some(other)
            case 9..<11:
                node.parent = nil
                expected.parents[number] = .some(nil)
            case 11..<13:
                guard let shared = node as? SharedNode, let twin = nodes[other] as? SharedNode
                else { continue }
                shared.twin = twin
                expected.twins[number] = other
            case 13..<15:
                node.marks.insert(try #require(nodes[other]))
                expected.marks[number, default: []].insert(other)
            case 15:
                node.marks = []
                expected.marks[number] = []
            case 16..<19:
                context.delete(node)
                expected.delete(number)
                nodes[number] = nil
            default:
                if step % 5 == 0 {
                    try context.save()
                    saved = expected
                } else if step % 7 == 0 {
                    context.rollback()
                    expected = saved
                    nodes = [:]
                    for node in try context.fetch(FetchRequest<TreeNode>()) {
                        nodes[node.number] = node
                    }
                    #expect(Set(nodes.keys) == Set(expected.parents.keys))
                } else if context.undoManager != nil, other != number {
                    // An object whose deletion is undone has its previous relationships, in both directions.
                    try context.processPendingChanges()
                    context.delete(node)
                    try check(other, while: number)
                    try context.processPendingChanges()
                    try context.undo()
                    nodes[number] = node
                    try check(number)
                } else {
                    context.refreshAllObjects()
                }
            }
            if let number = any() { try check(number) }
        }
        for number in expected.parents.keys { try check(number) }
        try context.save()
        let fresh = container.newContext()
        nodes = [:]
        for node in try fresh.fetch(FetchRequest<TreeNode>()) { nodes[node.number] = node }
        #expect(Set(nodes.keys) == Set(expected.parents.keys))
        for number in expected.parents.keys { try check(number) }

        func check(_ number: Int64, while deleted: Int64) throws {
            let before = expected
            expected.delete(deleted)
            try check(number)
            expected = before
        }
    }
}
