import Foundation
import ObjectStorage
import CheckSupport
import Testing

/// A context has one object for a row as long as the object is referenced.
@Suite struct ObjectIdentityTests {
    /// Returns a key: adjacent ones, ones that are powers of two apart, negative ones, and ones at the
    /// limits.
    private static func key(_ generator: inout SeededGenerator) -> Int64 {
        let number = Int64.random(in: 0..<600, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0...1: return number
        case 2: return number << [4, 10, 16, 32, 50].randomElement(using: &generator)!
        case 3: return -number
        default: return number % 2 == 0 ? .max - number : .min + number
        }
    }

    @Test func `a referenced object is the one that a context finds`() throws {
        var generator = SeededGenerator(seed: SeededGenerator.newSeed())
        let context = try Library().container.newContext()
        var held: [Int64: ManagedObject] = [:]
        for _ in 0..<60_000 {
            let key = Self.key(&generator)
            let objectID = ObjectID(entityName: "Work", primaryKey: key)
            if Int.random(in: 0..<3, using: &generator) == 0 {
                held[key] = nil
                continue
            }
            let object = try context.object(with: objectID)
            #expect(object.objectID == objectID)
            if let known = held[key] { #expect(object === known) }
            held[key] = object
        }
        #expect(held.count > 500)
        for (key, object) in held {
            #expect(try context.object(with: ObjectID(entityName: "Work", primaryKey: key)) === object)
        }
    }

    @Test func `values read in one fetch are those of each row, and stay when other objects change`() throws {
        var generator = SeededGenerator(seed: SeededGenerator.newSeed())
        let library = try Library()
        let writing = library.container.newContext()
        var expected: [Int64: (String, Int32?, Double?, Data?)] = [:]
        for number in 0..<400 {
            let work = Work(context: writing)
            work.key = Int64(number)
            work.title = String(repeating: "ä", count: Int.random(in: 0..<300, using: &generator))
            work.year =
                Bool.random(using: &generator) ? Int32.random(in: .min ... .max, using: &generator) : nil
            work.rating = Bool.random(using: &generator) ? Double.random(in: -1...1, using: &generator) : nil
            work.cover = Bool.random(using: &generator) ? Data((0..<UInt8(number % 200)).map { $0 }) : nil
            expected[work.key] = (work.title, work.year, work.rating, work.cover)
        }
        try writing.save()
        let context = library.container.newContext()
        let works = try context.fetch(FetchRequest<Work>())
        for (position, work) in works.enumerated() where position % 3 == 0 { work.title += "!" }
        #expect(works.count == 400)
        for (position, work) in works.enumerated() {
            let (title, year, rating, cover) = try #require(expected[work.key])
            #expect(work.title == title + (position % 3 == 0 ? "!" : ""))
            #expect(work.year == year && work.rating == rating && work.cover == cover)
        }
        context.rollback()
        #expect(works.allSatisfy { expected[$0.key]?.0 == $0.title })
    }
}
